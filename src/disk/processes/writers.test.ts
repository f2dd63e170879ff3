import { appendFileSync, linkSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { LONG_AGO, putSession } from '../../../test/support/repairs.ts'
import { startWriter } from '../../../test/support/writer.ts'
import { identityOf } from '../files/read.ts'
import { injectFiles, nodeFiles } from '../files/system-calls.ts'
import { findWriter, LIVE_MS, SETTLED_MS } from './writers.ts'

const AT_ONCE = { betweenChecksMs: 0 }
const opens = (flags: string) =>
  `import { openSync } from 'node:fs'; openSync(path, '${flags}'); say(String(process.pid)); await next()`

test('an idle or missing file has no writer', async () => {
  const { file } = putSession(temporaryHome())
  expect(await findWriter([file, `${file}.gone`], AT_ONCE)).toBeUndefined()
})

describe.runIf(process.platform === 'linux')('a process that has the file open', () => {
  test.each(['a', 'r+'])('for writing (%s) is a writer, by whatever name it opened it', async flags => {
    const { home, file } = putSession(temporaryHome())
    const alias = join(home, 'alias')
    linkSync(file, alias)
    utimesSync(file, LONG_AGO, LONG_AGO)
    const other = startWriter(alias, opens(flags))
    const pid = Number(await other.heard())
    const sign = await findWriter([file], { ...AT_ONCE, force: true })
    expect(sign).toMatchObject({
      pid,
      text: expect.stringContaining('open for writing'),
      hint: expect.stringContaining(String(pid)),
    })
    await other.kill()
    expect(await findWriter([file], AT_ONCE)).toBeUndefined()
  })

  test('for reading counts for databases alone', async () => {
    const { file } = putSession(temporaryHome())
    const other = startWriter(file, opens('r'))
    const pid = Number(await other.heard())
    expect(await findWriter([file], AT_ONCE)).toBeUndefined()
    expect(await findWriter([file], { ...AT_ONCE, anyHandle: true })).toMatchObject({ pid })
  })

  test('is not looked for where the system does not show it', async () => {
    const { file } = putSession(temporaryHome())
    const other = startWriter(file, opens('a'))
    await other.heard()
    const list = (path: string) => {
      if (path.endsWith('/fd')) throw Object.assign(new Error('not yours'), { code: 'EACCES' })
      return nodeFiles.list(path)
    }
    onTestFinished(injectFiles({ ...nodeFiles, list }))
    expect(await findWriter([file], AT_ONCE)).toBeUndefined()
  })
})

test('a file that was touched a moment ago counts as live for ten seconds, unless it is said that it is not', async () => {
  const { file } = putSession(temporaryHome())
  const at = (ageMs: number) => ({ ...AT_ONCE, now: () => LONG_AGO.getTime() + ageMs })
  expect(await findWriter([file], at(LIVE_MS - 1))).toMatchObject({
    retryAfterMs: 1,
    hint: expect.not.stringContaining('--force'),
  })
  expect(await findWriter([file], { ...at(LIVE_MS - 1), force: true })).toBeUndefined()
  expect(await findWriter([file], at(LIVE_MS))).toBeUndefined()
  // A clock that was set back a little; and a time that cannot be true.
  expect(await findWriter([file], at(-1000))).toBeDefined()
  expect(await findWriter([file], at(-3_600_000))).toBeUndefined()
})

describe('a file that was touched a moment ago, with no process of its agent', () => {
  test('counts as finished once it has settled', async () => {
    const { file } = putSession(temporaryHome())
    const begun = performance.now()
    const now = (): number => LONG_AGO.getTime() + SETTLED_MS - 300
    expect(await findWriter([file], { ...AT_ONCE, now, isAgentGone: true })).toBeUndefined()
    expect(performance.now() - begun).toBeGreaterThanOrEqual(295)
  })

  test('counts as live where it changes meanwhile', async () => {
    const { file } = putSession(temporaryHome())
    const sign = findWriter([file], { ...AT_ONCE, now: () => LONG_AGO.getTime(), isAgentGone: true })
    setTimeout(() => appendFileSync(file, 'more\n'), 20)
    expect(await sign).toMatchObject({ retryAfterMs: LIVE_MS })
  })
})

test('a file that changes between two checks has a writer', async () => {
  const home = temporaryHome()
  const { file } = putSession(home)
  const sign = findWriter([put(home, 'quiet', ''), file], { ...AT_ONCE, force: true })
  appendFileSync(file, 'more\n')
  expect(await sign).toMatchObject({ text: expect.stringContaining('changed while rethread was watching') })
})

test('a file that disappears between two checks has no writer', async () => {
  const { file } = putSession(temporaryHome())
  const sign = findWriter([file], AT_ONCE)
  rmSync(file)
  expect(await sign).toBeUndefined()
})

describe('a file that was seen before', () => {
  const HOUR_MS = 3_600_000
  const markOf = (file: string): string => identityOf(nodeFiles.stat(file)).mark
  const seenAnHourAgo = (file: string) => ({ marks: new Map([[file, markOf(file)]]), at: performance.now() - HOUR_MS })

  test('and is still the same is not watched for as long again', async () => {
    const { file } = putSession(temporaryHome())
    expect(await findWriter([file], { betweenChecksMs: HOUR_MS, seen: seenAnHourAgo(file) })).toBeUndefined()
  })

  test('and has changed since is watched', async () => {
    const { file } = putSession(temporaryHome())
    const seen = seenAnHourAgo(file)
    appendFileSync(file, 'more\n')
    const sign = findWriter([file], { betweenChecksMs: 500, force: true, seen })
    setTimeout(() => appendFileSync(file, 'and more\n'), 100)
    expect(await sign).toMatchObject({ text: expect.stringContaining('changed while rethread was watching') })
  })

  test('is watched where another file was not seen', async () => {
    const home = temporaryHome()
    const { file } = putSession(home)
    const other = put(home, 'other', '')
    const sign = findWriter([file, other], { betweenChecksMs: 500, force: true, seen: seenAnHourAgo(file) })
    setTimeout(() => appendFileSync(other, 'more\n'), 100)
    expect(await sign).toMatchObject({ text: expect.stringContaining('changed while rethread was watching') })
  })
})
