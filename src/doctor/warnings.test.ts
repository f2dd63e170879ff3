import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { recordedHome } from '../../test/support/recorded.ts'
import { listing as codex } from '../agents/codex/listing.ts'
import { listing as opencode } from '../agents/opencode/database/listing.ts'
import { makeContext } from '../catalog/context.ts'
import { injectFiles, nodeFiles } from '../disk/files/system-calls.ts'
import { inspectAll } from './inspect.ts'
import { findWarnings } from './warnings.ts'

function contextOf(home: string) {
  return makeContext({ home, state: join(temporaryHome(), 'state'), logLevel: 'silent' })
}

async function warningsOf(home: string) {
  const context = contextOf(home)
  const { sessions } = await inspectAll(context)
  return await findWarnings(context, sessions)
}

const riskKinds = async (home: string) =>
  (await warningsOf(home)).map(({ kind }) => kind).filter(kind => kind === 'known-bug' || kind === 'too-large')

function logIn(home: string): string {
  const [log = ''] = readdirSync(join(home, '.claude/projects'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.name.endsWith('.jsonl') && !entry.parentPath.includes('subagents'))
    .map(entry => join(entry.parentPath, entry.name))
    .toSorted((a, b) => statSync(b).size - statSync(a).size)
  return log
}

test('a version that is known to lose sessions is named with its bugs, and one that is not is not', async () => {
  const found = (await warningsOf(recordedHome('claude-code-2.1.25'))).find(({ kind }) => kind === 'known-bug')
  expect(found).toMatchObject({
    severity: 'warning',
    agent: 'claude-code',
    counts: { 'claude-code': expect.any(Number) },
  })
  expect(found?.text).toContain('2.1.25')
  expect(found?.evidence).toContainEqual(expect.stringContaining('Corrected in 2.1.181.'))
  expect(await riskKinds(recordedHome('claude-code-2.1.325'))).toEqual([])
})

test('a session is too large for the version that wrote it, and not for a later one', async () => {
  for (const [name, expected] of [
    ['claude-code-2.0.14', ['too-large', 'known-bug']],
    ['claude-code-2.1.325', []],
  ] as const) {
    const home = recordedHome(name)
    truncateSync(logIn(home), 6_000_000)
    expect([...new Set(await riskKinds(home))]).toEqual(expected)
  }
})

test('sessions from which an index cannot be rebuilt in time, and a log that was never written back, are named', async () => {
  const codexSessions = (await inspectAll(contextOf(recordedHome('codex-0.166.0')))).sessions
  const environment = contextOf(temporaryHome()).environment
  expect(codex.risks?.(codexSessions, environment)).toEqual([])
  const large = codexSessions.map(session => ({ ...session, fileSize: 12_000_000_000 }))
  expect(codex.risks?.(large, environment)).toMatchObject([
    { kind: 'too-large', text: expect.stringContaining('12 GB') },
  ])

  const sessions = (await inspectAll(contextOf(recordedHome('opencode-1.18.33')))).sessions
  expect(opencode.risks?.(sessions, environment)).toEqual([])
  const [first] = sessions
  writeFileSync(`${first?.filePath}-wal`, '')
  truncateSync(`${first?.filePath}-wal`, 2_000_000_000)
  expect(opencode.risks?.(sessions, environment)).toMatchObject([{ kind: 'too-large', sessions: [first] }])
})

test('a disk that is nearly full, and a store on a network, are named', async () => {
  const home = recordedHome('codex-0.166.0')
  expect(await warningsOf(home)).toEqual([])
  const restore = injectFiles({ ...nodeFiles, space: () => 100_000_000, fileSystem: () => 0x6969 })
  const found = await warningsOf(home).finally(restore)
  expect(found).toContainEqual(expect.objectContaining({ kind: 'disk-full', text: expect.stringContaining('100 MB') }))
  if (process.platform === 'linux')
    expect(found).toContainEqual(
      expect.objectContaining({ kind: 'risky-place', agent: 'codex', text: expect.stringContaining('NFS') }),
    )
})

test('a store in a folder that is synced is named', async () => {
  const home = recordedHome('codex-0.166.0')
  writeFileSync(join(home, '.dropbox'), '')
  expect(await warningsOf(home)).toMatchObject([{ kind: 'risky-place', text: expect.stringContaining('synced') }])
})
