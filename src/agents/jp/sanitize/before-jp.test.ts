// What a run remembers and leaves behind: healthy conversations, undone renames, folders that it made.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { environmentOf } from '../../../../test/support/home.ts'
import { linesOf, NAME, person, putBoth, putOne, run } from '../../../../test/support/jp/run.ts'
import { putFiles, WHOLE } from '../../../../test/support/jp/store.ts'
import { undoRepair } from '../../../repair/undo.ts'
import type { FlagsProblem } from '../../sanitizer.ts'
import { jp } from '../index.ts'

function contextOf(home: string) {
  return { agents: [jp], environment: environmentOf(home), state: join(home, 'state') }
}

test('a conversation that was healthy is examined again as soon as a file of it changes', async () => {
  const home = quickHome()
  const folder = putOne(home)
  expect(linesOf(await run(home))).toEqual([])
  expect(linesOf(await run(home))).toEqual([])
  // In place and of the same size: only the time of the change tells.
  const path = join(folder, 'metadata.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('{', '['))
  expect((await run(home, { mode: 'check' })).left).toHaveLength(1)
})

test('the undo of a rename does not refuse the folder that it renames back', async () => {
  const home = quickHome()
  putOne(home, {}, '017935272000-x')
  const { repaired } = await run(home)
  await undoRepair(contextOf(home), repaired[0]?.receipt ?? '', { force: true })
  expect(readdirSync(join(home, 'shop/.jp/conversations'))).toEqual(['017935272000-x'])
})

test('a second folder with the same id is trashed and comes back by an undo, without a trace', async () => {
  const home = quickHome()
  putOne(home, {}, '17935272000-a')
  putOne(home, { 'events.json': '[' }, '17935272000-b')
  const { trashed } = await run(home)
  await undoRepair(contextOf(home), trashed[0]?.receipt ?? '', { force: true })
  expect(readdirSync(join(home, 'shop/.jp/conversations')).toSorted()).toEqual(['17935272000-a', '17935272000-b'])
  expect(existsSync(join(home, 'shop/.jp/locks'))).toBe(false)
})

test('two folders with one id, in both storages, are repaired in one run', async () => {
  const home = quickHome()
  const { own, local } = putBoth(home, {}, {})
  for (const folder of [own, local])
    putFiles(home, `${folder.slice(home.length + 1)}-2`, { ...WHOLE, 'metadata.json': '{' })
  expect((await run(home)).repaired).toHaveLength(2)
  expect(linesOf(await run(home))).toEqual([])
})

test('a rebuilt config asks for the flags that it has lost, and JP reads them from the events', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'base_config.json': '{' }, NAME)
  const asked: FlagsProblem[] = []
  const decide = person(
    () => ({ type: 'leave' }),
    problem => {
      asked.push(problem)
      const result = problem.parse('-m openai/gpt-x -p seed=7')
      return result.type === 'delta' ? { type: 'flags', result } : { type: 'skip' }
    },
  )
  const { repaired } = await run(home, { decide })
  expect(asked).toMatchObject([{ file: 'base_config.json' }])
  expect(repaired.every(({ remark }) => remark === undefined)).toBe(true)
  expect(JSON.parse(readFileSync(join(folder, 'events.json'), 'utf8'))[0]).toMatchObject({
    delta: {
      assistant: { model: { id: { provider: 'openai', name: 'gpt-x' }, parameters: { other: { seed: '7' } } } },
    },
  })
  expect(linesOf(await run(home, { mode: 'check' }))).toEqual([])
})

test('a delta that needs a tool gets the source of it, or a placeholder', async () => {
  const home = quickHome()
  const delta = { conversation: { tools: { grep: { enable: { state: true } } } } }
  const event = { timestamp: '2026-11-01 10:00:00.0', type: 'config_delta', delta }
  const folder = putOne(home, { 'events.json': JSON.stringify([event]) })
  expect((await run(home, { mode: 'check' })).lockedOut).toMatchObject([{ file: 'base_config.json' }])
  await run(home)
  expect(JSON.parse(readFileSync(join(folder, 'base_config.json'), 'utf8')).conversation.tools.grep).toEqual({
    source: 'local',
  })
  expect(linesOf(await run(home, { mode: 'check' }))).toEqual([])
})
