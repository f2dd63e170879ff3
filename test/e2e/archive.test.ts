// The commands of the archive, as a person and a script use them.
import { readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rethread, rethreadInTurn } from '../support/cli.ts'
import { recordedHome } from '../support/recorded.ts'

const NAME = 'claude-code-2.1.325'

async function prepare(command = rethreadInTurn) {
  const home = recordedHome(NAME)
  const run = (...args: string[]) => command(home, '--state', join(home, 'state'), ...args)
  const json = async (...args: string[]) => JSON.parse((await run('--json', ...args)).stdout)
  const { sessions } = await json('list')
  const { sessionId, filePath } = sessions.find((session: { subagentOf?: string }) => session.subagentOf === undefined)
  return { home, run, json, sessionId, filePath }
}

test('a session that its agent deleted is listed, shown, checked, and restored with its history', async () => {
  const { run, json, sessionId, filePath } = await prepare(rethread)
  const month = new Date(Date.now() - 40 * 24 * 3_600_000)
  utimesSync(filePath, month, month)
  const shown = (await json('show', sessionId)).messages
  expect(await json('archive')).toMatchObject({ copied: 2, failures: [] })
  rmSync(filePath)
  expect((await json('archive')).deleted).toMatchObject([{ sessionId }])
  const listed = (await json('list')).sessions.find((session: { sessionId: string }) => session.sessionId === sessionId)
  expect(listed).toMatchObject({ archived: { isByAgent: true }, messageCount: shown.length })
  expect((await run('list')).stdout).toMatch(/deleted by Claude Code on \d{4}-\d\d-\d\d; archived/)
  const text = await run('show', sessionId, '--no-pager')
  expect(text).toMatchObject({ status: 0, stdout: expect.stringContaining('deleted by Claude Code on') })
  const ids = (messages: { id: string }[]) => messages.map(({ id }) => id)
  expect(ids((await json('show', sessionId)).messages)).toEqual(ids(shown))
  expect((await json('check', sessionId)).sessions).toMatchObject([{ status: 'healthy', filePath }])
  expect((await run('resume', '--print', sessionId)).stderr).toContain(`rethread restore ${sessionId}`)
  expect((await run('repair', sessionId)).status).not.toBe(1)
  const restored = await json('restore', sessionId)
  expect(restored).toMatchObject({ sessionId, filePath, files: [filePath] })
  expect(ids((await json('show', sessionId)).messages)).toEqual(ids(shown))
  expect((await run('undo', restored.receipt, '--force')).status).toBe(0)
  expect((await json('show', sessionId)).archived).toBeDefined()
})

test.each([[[]], [['--as-new', '--at', new Date(Date.now() + 3_600_000).toISOString()]]])(
  'an undone restore %j says which command restores it again, and that command does',
  async options => {
    const { run, json, sessionId, filePath } = await prepare()
    await run('archive')
    if (options.length === 0) rmSync(filePath)
    await run('archive')
    const { receipt, files, sessionId: restoredId } = await json('restore', sessionId, '--force', ...options)
    const { status, stdout } = await run('undo', receipt, '--force')
    expect(status).toBe(0)
    expect(stdout).toContain(`The restore ${receipt} is undone.`)
    expect(stdout).not.toMatch(/repair/i)
    const [, command = ''] = /Restore it again: rethread (.*)/.exec(stdout) ?? []
    const again = await json(...command.split(' '), '--force')
    expect(again.files).toHaveLength(files.length)
    expect(again.sessionId === sessionId).toBe(restoredId === sessionId)
  },
)

test('a shortened session is a notice with exit status 3, until it is seen; its earlier state is shown', async () => {
  const { run, json, sessionId, filePath } = await prepare()
  await run('archive')
  expect((await run('archive', 'status')).status).toBe(0)
  const [{ time, messages }] = (await json('versions', sessionId)).versions
  truncateSync(filePath, readFileSync(filePath).indexOf('\n', 5000) + 1)
  await run('archive')
  const status = await run('archive', 'status', '--seen')
  expect(status.status).toBe(3)
  expect(status.stdout).toMatch(/was shortened from \d+ to \d+ messages? at \d\d:\d\d/)
  expect((await run('archive', 'status')).status).toBe(0)
  const at = await json('show', sessionId, '--at', time)
  expect(at.messages).toHaveLength(messages)
  expect((await json('show', sessionId)).messages.length).toBeLessThan(messages)
  const versions = await json('versions', sessionId)
  expect(versions.versions.map(({ why }: { why: string }) => why)).toEqual(['shrank', 'first'])
})

test('a flipped bit is found, repaired, and the content is copied again', async () => {
  const { home, run, json, sessionId } = await prepare()
  await run('archive')
  expect(await run('archive', 'check')).toMatchObject({ status: 0 })
  for (const file of segmentsIn(home)) {
    const bytes = readFileSync(file)
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
    writeFileSync(file, bytes)
  }
  expect((await run('archive', 'check')).status).toBe(3)
  expect((await json('archive', 'check')).damaged).toHaveLength(2)
  expect((await run('archive', 'status')).status).toBe(0)
  expect((await run('archive', 'repair')).status).toBe(3)
  expect(await run('archive', 'check')).toMatchObject({ status: 0 })
  expect(await json('archive')).toMatchObject({ copied: 2 })
  const { versions } = await json('versions', sessionId)
  expect(versions[0]).toMatchObject({ exists: true, messages: (await json('show', sessionId)).messages.length })
})

function segmentsIn(home: string): string[] {
  return readdirSync(join(home, 'state/archive/segments'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

test('an archive and a copy of a home are imported, and the second time nothing is added', async () => {
  const old = await prepare()
  await old.run('archive')
  const fresh = recordedHome('codex-0.40.0')
  const run = (...args: string[]) => rethreadInTurn(fresh, '--state', join(fresh, 'state'), '--json', ...args)
  const json = async (...args: string[]) => JSON.parse((await run(...args)).stdout)
  expect(await json('archive', 'import', join(old.home, 'state'))).toMatchObject({
    kind: 'archive',
    added: 2,
    known: 0,
  })
  expect(await json('archive', 'import', join(old.home, 'state'))).toMatchObject({
    kind: 'archive',
    added: 0,
    known: 2,
  })
  expect((await json('show', old.sessionId)).messages.length).toBeGreaterThan(5)
  const gemini = recordedHome('gemini-cli-0.61.0')
  expect(await json('archive', 'import', join(gemini, '.gemini'))).toMatchObject({ kind: 'home', added: 1 })
  expect((await json('list')).sessions.map(({ agent }: { agent: string }) => agent)).toContain('gemini-cli')
  expect((await run('archive', 'import', join(gemini, 'nothing'))).status).toBe(5)
})

test.each([
  ['archive', 'frobnicate'],
  ['archive', 'import'],
  ['archive', 'status', 'x'],
  ['versions', 'x', '--limit', 'y'],
  ['restore', 'x', '--at', 'never'],
])('wrong usage is refused: %s %s', async (...args) => {
  const home = recordedHome(NAME)
  const run = (...words: string[]) => rethreadInTurn(home, '--state', join(home, 'state'), ...words)
  expect([2, 5]).toContain((await run(...args)).status)
})
