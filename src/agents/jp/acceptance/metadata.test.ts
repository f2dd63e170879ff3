// metadata.json is recreated from the best there is, and never outranks what is real.
import { readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { json, linesOf, NAME, placeIn, putBoth, putOne, run } from '../../../../test/support/jp/run.ts'
import { META } from '../../../../test/support/jp/store.ts'
import { classifyConversation } from '../classify/index.ts'
import { listConversations } from '../conversations.ts'
import { openWorkspace } from '../roots.ts'

/** Which copy JP takes the title from, and which the events, by its own rule. */
function takenByJp(home: string) {
  const { environment, folder } = placeIn(home)
  const workspace = openWorkspace(folder, environment)
  if (workspace === undefined) throw new Error('There is no workspace.')
  const { conversations } = listConversations(workspace)
  const [conversation] = conversations
  if (conversation === undefined) throw new Error('There is no conversation.')
  const { chosen: takes } = classifyConversation(conversation)
  return { metadata: takes.metadata?.folder.root.kind, stream: takes.stream?.folder.root.kind }
}

function modifiedNs(folder: string, file: string): bigint {
  return statSync(join(folder, file), { bigint: true }).mtimeNs
}

describe('a damaged copy in the workspace, and an older sound one in the user’s data', () => {
  /** Nanoseconds that no number of seconds holds. */
  const OLD = 1_793_000_000.123_456_7

  test('after the repair JP takes the sound one, by its own rule', async () => {
    const home = quickHome()
    const real = { ...META, title: 'The real one', labels: { a: 'b' } }
    const { own, local } = putBoth(home, { 'metadata.json': '{"title":"Broken' }, { 'metadata.json': real })
    utimesSync(join(local, 'metadata.json'), OLD, OLD)
    expect(takenByJp(home).metadata).toBe('workspace')
    await run(home)
    expect(takenByJp(home).metadata).toBe('user-local')
    expect(modifiedNs(own, 'metadata.json') <= modifiedNs(local, 'metadata.json')).toBe(true)
    expect(readFileSync(join(own, 'metadata.json'))).toEqual(readFileSync(join(local, 'metadata.json')))
    expect(linesOf(await run(home))).toEqual([])
  })

  test('a default that is made beside newer real files is older than all of them', async () => {
    const home = quickHome()
    const { own, local } = putBoth(
      home,
      { 'metadata.json': undefined },
      { 'metadata.json': '{"title":"Kept","labels":{' },
    )
    await run(home)
    expect(json(join(local, 'metadata.json'))).toMatchObject({ title: 'Kept' })
    expect(modifiedNs(own, 'metadata.json') <= modifiedNs(local, 'metadata.json')).toBe(true)
    expect(takenByJp(home).metadata).toBe('user-local')
  })

  test('the base config that is copied over does not make older events the ones that JP takes', async () => {
    const home = quickHome()
    const { own, local } = putBoth(home, { 'base_config.json': '{' }, {})
    for (const [folder, time] of [
      [own, OLD - 1000],
      [local, OLD],
    ] as const)
      for (const file of ['base_config.json', 'events.json']) utimesSync(join(folder, file), time, time)
    await run(home)
    expect(takenByJp(home).stream).toBe('user-local')
    expect(modifiedNs(own, 'base_config.json') <= modifiedNs(local, 'base_config.json')).toBe(true)
  })
})

test('files that are older than their conversation says it is still outrank a config that was made up', async () => {
  const home = quickHome()
  const { own, local } = putBoth(home, { 'base_config.json': '{' }, { 'base_config.json': '{' })
  const before = Date.UTC(2020, 0, 1) / 1000
  for (const [folder, time] of [
    [own, before],
    [local, before - 1000],
  ] as const)
    for (const file of ['base_config.json', 'events.json']) utimesSync(join(folder, file), time, time)
  expect(takenByJp(home).stream).toBe('workspace')
  await run(home)
  expect(takenByJp(home).stream).toBe('workspace')
})

test('where both copies are damaged, the title that one of them still has serves both', async () => {
  const home = quickHome()
  const { own, local } = putBoth(
    home,
    { 'metadata.json': '{"ti' },
    { 'metadata.json': '{"title":"Ärger im Login","pi' },
  )
  await run(home)
  for (const folder of [own, local])
    expect(json(join(folder, 'metadata.json'))).toMatchObject({ title: 'Ärger im Login' })
})

describe('a time at which JP deletes the conversation', () => {
  test.each([
    ['missing', undefined],
    ['cut in the middle of it', '{"title":"T","expires_at":"20'],
    ['cut behind its name', '{"title":"T","expires_at":'],
    ['with a number in its place', '{"title":"T","expires_at":0,"last_activated_at":"2026-11-01 10:00:06.0"}'],
    ['with a day that does not exist', '{"title":"T","expires_at":"2026-02-30 00:00:00.0","last_acti'],
  ])('is not made up for metadata that is %s', async (_, content) => {
    const home = quickHome()
    const folder = putOne(home, { 'metadata.json': content })
    await run(home)
    const made = readFileSync(join(folder, 'metadata.json'), 'utf8')
    expect(made).not.toMatch(/expires_at|pinned_at|archived_at/)
    expect(JSON.parse(made)).toHaveProperty('last_activated_at')
  })

  test('is kept as it was where it can be read', async () => {
    const home = quickHome()
    const expiry = '"expires_at": "2090-01-01T00:00:00.5+02:00"'
    const folder = putOne(home, { 'metadata.json': `{\n  ${expiry},\n  "title": "T",\n  "last_acti` })
    await run(home)
    expect(readFileSync(join(folder, 'metadata.json'), 'utf8')).toContain(expiry)
  })
})

describe('labels', () => {
  const GOOD = '"team":  "web\\u00e9"'

  test.each([
    ['of a wrong type beside other damage', `{"title":7,"labels":{"n":3,${GOOD}},"last_activated_at":1}`],
    ['that is cut', `{"title":"T","labels":{${GOOD},"n":"hal`],
    ['that is not JSON', `{"title":"T","labels":{${GOOD},"n":no,"m":}}`],
    ['with a byte that is not a character', Buffer.from(`{"labels":{"n":"\xff",${GOOD}},"title":"T"}`, 'latin1')],
  ])('of which one is %s lose that one, and keep the others byte for byte', async (_, content) => {
    const home = quickHome()
    const folder = putOne(home, { 'metadata.json': content })
    const { repaired } = await run(home)
    expect(readFileSync(join(folder, 'metadata.json'), 'utf8')).toContain(`"labels": {\n    ${GOOD}\n  }`)
    expect(repaired[0]?.line).toContain('some labels')
    expect(linesOf(await run(home))).toEqual([])
  })

  test('that are all good stay as they are written, and that are all bad go', async () => {
    const home = quickHome()
    const folder = putOne(home, { 'metadata.json': `{"labels":{ ${GOOD} , "x":""},"title":` })
    const { repaired } = await run(home)
    expect(readFileSync(join(folder, 'metadata.json'), 'utf8')).toContain(`"labels": { ${GOOD} , "x":""}`)
    expect(repaired[0]?.line).toContain('(labels)')
    const other = quickHome()
    const bad = putOne(other, { 'metadata.json': '{"labels":{"a":1,"b c":{}},"title":"T"}' })
    await run(other)
    expect(readFileSync(join(bad, 'metadata.json'), 'utf8')).not.toContain('labels')
  })
})

test('a conversation in the archive is repaired where it lies', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'metadata.json': undefined }, `.archive/${NAME}`)
  const { repaired } = await run(home)
  expect(repaired.map(({ line }) => line)).toEqual([`Repaired conversation ${NAME}: recreated missing metadata.json`])
  expect(json(join(folder, 'metadata.json'))).toMatchObject({ last_activated_at: '2026-11-01 10:00:00.0' })
  expect(linesOf(await run(home))).toEqual([])
})
