// What would be asked about one conversation, and runs that are about one alone.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import { person, placeIn, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { ID, putConversation, SILO, WHOLE } from '../../../../test/support/jp/store.ts'
import { sanitizer } from './index.ts'

const BROKEN = '[{"type": "turn_start",}]'
const INIT = 'init_config.json'

test('the questions are listed in order, with the means to answer, and nothing is changed', async () => {
  const home = temporaryHome()
  const path = putOne(home, { 'events.json': BROKEN, [INIT]: '{' })
  putOne(home, { 'events.json': BROKEN }, '17935272001-another')
  const before = treeOf(join(home, 'shop'))
  const { questions, report, isTrashed } = await sanitizer.preview({ ...placeIn(home), path })
  expect(questions.map(({ type, problem }) => [type, problem.file])).toEqual([
    ['events', 'events.json'],
    ['flags', INIT],
  ])
  expect(report.conversations).toBe(1)
  expect(report.left.map(({ conversation }) => conversation)).toEqual(['17935272000-price-field-in-the-cart'])
  expect(isTrashed).toBe(false)
  expect(treeOf(join(home, 'shop'))).toEqual(before)
})

test('a folder with nothing of a conversation in it is announced as one for the trash', async () => {
  const home = temporaryHome()
  const nothing = Object.fromEntries(Object.keys(WHOLE).map(file => [file, undefined]))
  const path = putOne(home, { ...nothing, 'notes.txt': 'mine' })
  expect(await sanitizer.preview({ ...placeIn(home), path })).toMatchObject({ isTrashed: true, questions: [] })
})

test('a run that is about one conversation changes no other, and may be named by a file in it', async () => {
  const home = temporaryHome()
  const repaired = putOne(home, { 'metadata.json': undefined })
  const other = putOne(home, { 'metadata.json': undefined, 'events.json': BROKEN }, '17935272001-another')
  const before = treeOf(other)
  const report = await run(home, { only: [join(repaired, 'events.json')], decide: person(() => ({ type: 'trash' })) })
  expect(report.repaired).toHaveLength(1)
  expect({ trashed: report.trashed, conversations: report.conversations }).toEqual({ trashed: [], conversations: 1 })
  expect(treeOf(other)).toEqual(before)
})

test('a workspace that is gone is known by its folder in the user’s data', async () => {
  const home = temporaryHome()
  const path = putConversation(home, { ...WHOLE, 'events.json': BROKEN }, `${ID}-gone`)
  const place = { ...placeIn(home), folder: join(home, SILO) }
  expect((await sanitizer.preview({ ...place, path })).questions).toHaveLength(1)
})
