// What changed between two restore points, for every kind of store that can be written.
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pass, pointsOf } from '../../test/support/archive.ts'
import { makeHome, repairableKinds } from '../../test/support/damaged.ts'
import { quickHome } from '../../test/support/faults.ts'
import { compareVersions } from './difference.ts'
import { listVersions } from './versions.ts'

const KINDS = await repairableKinds()

async function prepare(agent: string) {
  const kind = KINDS.find(each => each.agent === agent)
  if (kind === undefined) throw new Error('There is no such store.')
  return await makeHome(quickHome(), kind, 1)
}

test('messages that were appended came, those that were cut off went, and nothing else changed', async () => {
  const { context, session } = await prepare('claude-code')
  const whole = readFileSync(session.filePath)
  const half = whole.indexOf('\n', whole.length / 2) + 1
  truncateSync(session.filePath, half)
  await pass(context)
  appendFileSync(session.filePath, whole.subarray(half))
  await pass(context)
  expect((await pointsOf(context, session)).map(({ why }) => why)).toEqual(['first', 'grew'])
  const grown = await compareVersions(context, session, 0, 1)
  expect(grown).toMatchObject({ went: 0, from: { bytes: half }, to: { bytes: whole.length } })
  expect(grown.came).toBeGreaterThan(0)
  expect(grown.to.messages - grown.from.messages).toBe(grown.came)
  expect(grown.messages.filter(({ change }) => change === 'came')).toHaveLength(grown.came)
  const back = await compareVersions(context, session, 1, 0)
  expect(back).toMatchObject({ came: 0, went: grown.came, changed: grown.changed })
  expect(await compareVersions(context, session, 1, 1)).toMatchObject({ came: 0, went: 0, changed: 0, messages: [] })
})

test('a message with other words under the same id has changed, and says what it was', async () => {
  const { context, session } = await prepare('claude-code')
  await pass(context)
  const [first = ''] = /"content":"([^"\\]{5,})/.exec(readFileSync(session.filePath, 'utf8'))?.slice(1) ?? []
  const changed = readFileSync(session.filePath, 'utf8').replace(`"content":"${first}`, '"content":"Other words')
  writeFileSync(session.filePath, changed)
  await pass(context)
  const difference = await compareVersions(context, session, 0, 1)
  expect(difference).toMatchObject({ came: 0, went: 0, changed: 1 })
  expect(difference.messages).toMatchObject([{ change: 'changed', text: expect.stringContaining('Other words') }])
  expect(difference.messages[0]?.before?.text.startsWith(first.slice(0, 5))).toBe(true)
})

test('a point that does not exist is refused, and an emptied session has no messages', async () => {
  const { context, session } = await prepare('claude-code')
  await pass(context)
  await expect(compareVersions(context, session, 0, 7)).rejects.toMatchObject({ code: 'session-not-found' })
  truncateSync(session.filePath, 0)
  await pass(context)
  const difference = await compareVersions(context, session, 0, 1)
  expect(difference.went).toBe(difference.from.messages)
  expect(difference.to).toMatchObject({ messages: 0, bytes: 0 })
})

test('messages are counted up to a limit of bytes, and counts are remembered', async () => {
  const { context, session } = await prepare('claude-code')
  await pass(context)
  const count = async (maxBytes: number) =>
    (await listVersions(context, session, { maxBytes })).versions.map(({ messages }) => messages)
  expect(await count(10)).toEqual([null])
  const [counted] = await count(1_000_000)
  expect(counted).toBeGreaterThan(2)
  expect(await count(10)).toEqual([counted])
})
