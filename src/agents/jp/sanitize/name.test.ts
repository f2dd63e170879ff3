// A conversation in a folder without an id: the proposed name, the possible answers, and the undo.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { linesOf, NAME, namesIn, person, placeIn, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { META, putFiles, SILO, WHOLE } from '../../../../test/support/jp/store.ts'
import { undoReceipt } from '../../../disk/vault/undo.ts'
import type { Decider, NameDecision, NameProblem } from '../../sanitizer.ts'
import { sanitizer } from './index.ts'

const IN = 'shop/.jp/conversations'
const TURN = '{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"}'
const TAKE = ({ proposal }: NameProblem): NameDecision => ({ type: 'rename', name: proposal.name })

function naming(answer: (problem: NameProblem) => NameDecision, seen: NameProblem[] = []): Decider {
  return person(
    ({ suggestion }) =>
      suggestion ? { type: 'replace', bytes: suggestion.bytes, by: 'suggestion' } : { type: 'leave' },
    () => ({ type: 'skip' }),
    problem => {
      seen.push(problem)
      return answer(problem)
    },
  )
}

async function proposed(home: string): Promise<NameProblem['proposal'] | undefined> {
  const seen: NameProblem[] = []
  await run(home, { decide: naming(() => ({ type: 'leave' }), seen) })
  return seen[0]?.proposal
}

test('the proposed name has the time of the first event and the title; its files are repaired in the same run', async () => {
  const home = quickHome()
  putOne(home, { 'base_config.json': undefined, 'events.json': `[\n${TURN},\n]` }, 'notes')
  const report = await run(home, { decide: naming(TAKE) })
  expect(linesOf(report)).toEqual([
    expect.stringMatching(`^Repaired conversation ${NAME}: rebuilt base_config.json`),
    `Repaired conversation ${NAME}: repaired events.json as suggested: remove the trailing comma`,
    `Repaired conversation notes: renamed its folder to ${NAME}`,
  ])
  expect(namesIn(join(home, IN))).toEqual([NAME])
  expect(linesOf(await run(home))).toEqual([])
})

test('the new name and the new files are one repair, which undo takes back to the last byte', async () => {
  const home = quickHome()
  putOne(home, { 'metadata.json': undefined }, 'notes')
  const before = treeOf(join(home, IN))
  const { repaired } = await run(home, { decide: naming(TAKE) })
  expect(repaired.map(({ target, file }) => [target !== undefined, file])).toEqual([
    [false, 'metadata.json'],
    [true, undefined],
  ])
  expect(new Set(repaired.map(({ receipt }) => receipt)).size).toBe(1)
  await undoReceipt(join(home, 'state'), repaired[0]?.receipt ?? '')
  expect(treeOf(join(home, IN))).toEqual(before)
})

test.each<[string, Record<string, unknown>, string, string]>([
  ['without a title', { 'metadata.json': undefined }, '17935272000', 'the time of its first event'],
  [
    'with a title in a damaged file',
    { 'metadata.json': '{"title": "Two words", "last' },
    '17935272000-two-words',
    'the time of its first event and its title',
  ],
  [
    'where the first events have lost their times',
    { 'events.json': `[{"type":"turn_start"},${TURN}]`, 'metadata.json': undefined },
    '17935272000',
    'the time of its first event',
  ],
  [
    'of old messages',
    { 'events.json': undefined, 'messages.json': `[${TURN}]`, 'metadata.json': undefined },
    '17935272000',
    'the time of its first event',
  ],
  [
    'where no event tells',
    { 'events.json': '[' },
    '17935272060-price-field-in-the-cart',
    'the time it was last used and its title',
  ],
])('what is proposed %s', async (_, files, name, source) => {
  const home = quickHome()
  putOne(home, files, 'notes')
  expect(await proposed(home)).toEqual({ name, source })
})

test('without any other time, the modification time of its files is proposed', async () => {
  const home = quickHome()
  putOne(home, { 'events.json': '[', 'metadata.json': undefined }, 'notes')
  const { name = '', source } = (await proposed(home)) ?? {}
  expect(source).toBe('the time its files were written')
  expect(Math.abs(Number(name) * 100 - Date.now())).toBeLessThan(3_600_000)
})

test('an id that is in use is not proposed, wherever it is in use', async () => {
  const home = quickHome()
  putOne(home, {}, '17935272000-here')
  putFiles(home, `${IN}/.archive/17935272001-archived`, WHOLE)
  putFiles(home, `${SILO}/conversations/17935272002-local`, WHOLE)
  putOne(home, {}, 'notes')
  expect((await proposed(home))?.name).toBe('17935272003-price-field-in-the-cart')
})

test.each([
  ['notes', /begins with an id/],
  ['jp-c17935272000', /begins with an id/],
  ['', /begins with an id/],
  ['+17935272009', /JP writes that id as 17935272009/],
  ['017935272009-x', /JP writes that id as 17935272009/],
  ['99999999999-x', /begins with an id/],
  ['17935272000-other', /Another conversation has this id: jp-c17935272000/],
  ['17935272001', /Another conversation has this id/],
  ['1793527200', /would take it for conversation jp-c17935272000/],
  ['17935272009-a/../b', /a character/],
  ['17935272009-a\u0000', /a character/],
  [`17935272009-${'x'.repeat(250)}`, /longer than 255 bytes/],
  ['17935272007', /is there already/],
])('the name %j is refused, with the reason', async (name, reason) => {
  const home = quickHome()
  putOne(home, {}, '17935272000-here')
  putFiles(home, `${IN}/.archive/17935272001-archived`, WHOLE)
  putOne(home, {}, 'notes')
  writeFileSync(join(home, IN, '17935272007'), 'a file')
  const before = treeOf(join(home, IN))
  let problem: string | undefined
  const decide = naming(({ validate }) => {
    problem = validate(name)
    expect(validate('17935272009-anything')).toBeUndefined()
    return { type: 'rename', name }
  })
  const { left } = await run(home, { decide })
  expect(problem).toMatch(reason)
  // Deciding so all the same does nothing.
  expect(left).toMatchObject([{ conversation: 'notes', line: expect.stringContaining('cannot be used') }])
  expect(treeOf(join(home, IN))).toEqual(before)
})

test('left is left, trashed is trashed, and without anybody to ask it is trashed', async () => {
  const home = quickHome()
  putOne(home, {}, 'notes')
  const { left } = await run(home, { decide: naming(() => ({ type: 'leave' })) })
  expect(left).toMatchObject([{ line: expect.stringContaining('as you chose') }])
  expect(namesIn(join(home, IN))).toEqual(['notes'])
  const { trashed } = await run(home, { decide: naming(() => ({ type: 'trash' })) })
  expect(trashed).toMatchObject([{ conversation: 'notes', error: 'invalid directory name' }])
  putOne(home, {}, 'more')
  expect((await run(home)).trashed).toMatchObject([{ conversation: 'more' }])
})

test('a folder with nothing of a conversation in it is trashed without a question', async () => {
  const home = quickHome()
  putOne(home, {})
  mkdirSync(join(home, IN, 'notes'))
  writeFileSync(join(home, IN, 'notes/todo.txt'), 'mine')
  const seen: NameProblem[] = []
  const { trashed } = await run(home, { decide: naming(TAKE, seen) })
  expect({ seen, trashed }).toMatchObject({ seen: [], trashed: [{ error: 'invalid directory name' }] })
})

test('both copies get the name, and one question is asked; several folders never get the same id', async () => {
  const home = quickHome()
  for (const name of ['a', 'b']) putOne(home, { 'metadata.json': undefined }, name)
  putFiles(home, `${SILO}/conversations/a`, { ...WHOLE, 'metadata.json': META })
  const seen: NameProblem[] = []
  await run(home, { decide: naming(TAKE, seen) })
  expect(seen.map(({ conversation }) => conversation).sort()).toEqual(['a', 'b'])
  expect(namesIn(join(home, IN))).toEqual([NAME, '17935272001'])
  expect(namesIn(join(home, SILO, 'conversations'))).toEqual([NAME])
  expect(linesOf(await run(home))).toEqual([])
})

test('an archived one stays in the archive, and is not trashed without a user', async () => {
  const home = quickHome()
  putOne(home, {})
  putFiles(home, `${IN}/.archive/notes`, { ...WHOLE, 'metadata.json': { ...META, title: undefined } })
  expect((await run(home)).lockedOut).toMatchObject([{ conversation: 'notes' }])
  await run(home, { decide: naming(TAKE) })
  expect(namesIn(join(home, IN, '.archive'))).toEqual(['17935272001'])
})

test('a preview asks for the name and for what is wrong with its files, and changes nothing', async () => {
  const home = quickHome()
  const path = putOne(home, { 'events.json': '[', 'init_config.json': '{' }, 'notes')
  const { questions, isTrashed, report } = await sanitizer.preview({ ...placeIn(home), path })
  expect(questions.map(({ type }) => type)).toEqual(['name', 'events', 'flags'])
  expect(isTrashed).toBe(false)
  expect(report.left[0]?.line).toContain('invalid directory name; init_config.json')
  expect(readFileSync(join(path, 'events.json'), 'utf8')).toBe('[')
})
