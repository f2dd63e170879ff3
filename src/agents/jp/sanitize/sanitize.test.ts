// The cases that the repair of conversation folders is judged by, each with real files.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import { json, linesOf, NAME, namesIn, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { BASE, EVENTS_FIXTURE, META, putConversation, SILO } from '../../../../test/support/jp/store.ts'
import { injectFiles, nodeFiles } from '../../../disk/files/system-calls.ts'
import { holdFlock } from '../../../disk/processes/flock.ts'

const TURN = '{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"}'

test('missing metadata is recreated with the time of the id and the title of the folder, and a second run finds nothing', async () => {
  const home = temporaryHome()
  const folder = putOne(home, { 'metadata.json': undefined })
  const report = await run(home)
  expect(linesOf(report)).toEqual([`Repaired conversation ${NAME}: recreated missing metadata.json`])
  expect(readFileSync(join(folder, 'metadata.json'), 'utf8')).toBe(
    '{\n  "title": "price field in the cart",\n  "last_activated_at": "2026-11-01 10:00:00.0"\n}\n',
  )
  expect(linesOf(await run(home))).toEqual([])
})

test('of metadata that was cut in the middle every complete field is kept, and the file itself byte for byte', async () => {
  const home = temporaryHome()
  const cut = '{\n  "title": "Price: 1.0 €",\n  "weight": 1.0,\n  "big": 12345678901234567890,\n  "last_activ'
  const folder = putOne(home, { 'metadata.json': cut })
  const { repaired } = await run(home)
  expect(readFileSync(join(folder, 'metadata.json'), 'utf8')).toBe(
    '{\n  "title": "Price: 1.0 €",\n  "last_activated_at": "2026-11-01 10:00:00.0",\n  "weight": 1.0,\n  "big": 12345678901234567890\n}\n',
  )
  expect(repaired[0]?.quarantine).toMatch(/metadata\.corrupted\.\d{8}T\d{9}Z\.json$/)
  expect(readFileSync(repaired[0]?.quarantine ?? '', 'utf8')).toBe(cut)
})

test('two damages in one millisecond are both set aside, under two names', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-04-15T12:00:00.123Z') })
  onTestFinished(() => void vi.useRealTimers())
  const home = temporaryHome()
  const folder = putOne(home, { 'metadata.json': 'first' })
  await run(home)
  writeFileSync(join(folder, 'metadata.json'), 'second')
  await run(home)
  const at = (name: string) => readFileSync(join(folder, name), 'utf8')
  expect(at('metadata.corrupted.20260415T120000123Z.json')).toBe('first')
  expect(at('metadata.corrupted.20260415T120000123Z-1.json')).toBe('second')
})

test('a sound copy that is older than the damaged one wins, and stays the one that JP takes', async () => {
  const home = temporaryHome()
  const { own, local } = putBoth(
    home,
    { 'metadata.json': '{' },
    { 'metadata.json': { ...META, title: 'The real one' } },
  )
  const old = new Date('2026-11-02T00:00:00Z')
  utimesSync(join(local, 'metadata.json'), old, old)
  expect(linesOf(await run(home))).toEqual([
    `Repaired conversation ${NAME}: recreated corrupt metadata.json from the user-local copy`,
  ])
  expect(json(join(own, 'metadata.json'))).toEqual({ ...META, title: 'The real one' })
  expect(statSync(join(own, 'metadata.json')).mtime).toEqual(old)
})

test('a default never counts as newer than a real file', async () => {
  const home = temporaryHome()
  const { own, local } = putBoth(home, { 'metadata.json': undefined }, { 'metadata.json': undefined })
  await run(home)
  for (const folder of [own, local])
    expect(statSync(join(folder, 'metadata.json')).mtime).toEqual(new Date('2026-11-01T10:00:00Z'))
})

test('where the first event holds the config, a damaged base_config.json is set aside and none is made', async () => {
  const home = temporaryHome()
  const events = `[{"type":"config_delta","timestamp":"2026-11-01 10:00:00.0","delta":${JSON.stringify(BASE)}},${TURN}]`
  const folder = putOne(home, { 'base_config.json': '{"assist', 'events.json': events })
  const { repaired } = await run(home)
  expect(repaired).toMatchObject([{ file: 'base_config.json' }])
  expect(existsSync(join(folder, 'base_config.json'))).toBe(false)
  expect(readFileSync(join(folder, 'events.json'), 'utf8')).toBe(events)
  expect(linesOf(await run(home))).toEqual([])
})

describe('a base config in which single fields are wrong', () => {
  test.each([
    ['nothing in it', '{}', /"name": "claude-x"/],
    ['a list', '[]', /"name": "claude-x"/],
  ])('%s', async (_, content, wanted) => {
    const home = temporaryHome()
    putOne(home, {}, '17935270000-donor')
    const folder = putOne(home, { 'base_config.json': content })
    expect((await run(home, { mode: 'check' })).lockedOut).toHaveLength(1)
    const { repaired } = await run(home)
    expect(repaired[0]?.line).toContain('from conversation jp-c17935270000, the nearest in time')
    expect(readFileSync(join(folder, 'base_config.json'), 'utf8')).toMatch(wanted)
    expect(linesOf(await run(home))).toEqual([])
  })

  test('is repaired field by field: every other byte stays', async () => {
    const home = temporaryHome()
    const before = JSON.stringify(BASE).slice(0, -1)
    const rest = ',"x":{"b":1.0,"a":[1e2,12345678901234567890]},"style":{"typewriter":{"text_delay":'
    const folder = putOne(home, {
      'base_config.json': `${before}${rest}3,"code_delay":"5ms"}}}`,
    })
    await run(home)
    expect(readFileSync(join(folder, 'base_config.json'), 'utf8')).toBe(
      `${before}${rest.replace('"text_delay":', '')}"code_delay":"5ms"}}}`,
    )
  })
})

test('a base config comes from the last commit where there is one', async () => {
  const home = temporaryHome()
  const folder = putOne(home, { 'base_config.json': { ...BASE, user: { name: 'Ann' } } })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: join(home, 'shop'),
      stdio: 'ignore',
    })
  git('init')
  git('add', '.')
  git('commit', '-m', 'all')
  writeFileSync(join(folder, 'base_config.json'), '{"assistant":')
  const { repaired } = await run(home)
  expect(repaired).toMatchObject([{ source: 'git HEAD' }])
  expect(json(join(folder, 'base_config.json'))).toMatchObject({ user: { name: 'Ann' } })
})

describe('events that were cut', () => {
  const cut = `[\n  ${TURN},\n  {"timestamp":"2026-11-01 10:00:01.0","type":"unknown","n":1.0,"big":12345678901234567890},\n  {"timest`

  test('are trashed as JP does it', async () => {
    const home = temporaryHome()
    const folder = putOne(home, { 'events.json': cut })
    const { trashed } = await run(home)
    const target = join(home, 'shop/.jp/conversations/.trash', NAME)
    expect(trashed).toMatchObject([
      {
        line: `Trashed corrupt conversation ${NAME}: events.json: EOF while parsing a string at line 4 column 10 (see ${target}/TRASHED.md)`,
        target,
      },
    ])
    expect(existsSync(folder)).toBe(false)
    expect(readFileSync(join(target, 'events.json'), 'utf8')).toBe(cut)
    expect(readFileSync(join(target, 'TRASHED.md'), 'utf8')).toMatch(
      /^# Trashed Conversation\n(?:.*\n)*\*\*Error:\*\* events\.json: EOF while parsing a string at line 4 column 10\n\*\*Date:\*\* \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m,
    )
  })

  test('are salvaged on request: unknown events and numbers survive, dropped bytes are reported and kept', async () => {
    const home = temporaryHome()
    const folder = putOne(home, { 'events.json': cut })
    const { repaired, trashed } = await run(home, { salvage: true })
    expect(trashed).toEqual([])
    expect(repaired[0]?.line).toContain('keep the first 2 events and cut the last 12 bytes (bytes 154-166')
    expect(readFileSync(join(folder, 'events.json'), 'utf8')).toBe(`${cut.slice(0, 154)}\n]\n`)
    expect(readFileSync(repaired[0]?.quarantine ?? '', 'utf8')).toBe(cut)
  })
})

test('what may not be read blocks the conversation, and nothing of it is moved', async () => {
  const home = temporaryHome()
  const folder = putOne(home, { 'metadata.json': undefined })
  onTestFinished(
    injectFiles({
      ...nodeFiles,
      openPlain(path) {
        if (path.endsWith('events.json')) throw Object.assign(new Error('no'), { code: 'EACCES' })
        return nodeFiles.openPlain(path)
      },
    }),
  )
  const { blocked, trashed, repaired } = await run(home)
  expect(blocked).toMatchObject([{ conversation: NAME, file: 'events.json' }])
  expect([...trashed, ...repaired]).toEqual([])
  expect(namesIn(folder)).toEqual(['base_config.json', 'events.json'])
})

test('a pipe in the place of a file is not opened', async () => {
  const home = temporaryHome()
  const folder = putOne(home, { 'metadata.json': undefined })
  execFileSync('mkfifo', [join(folder, 'metadata.json')])
  expect((await run(home)).blocked).toMatchObject([{ file: 'metadata.json' }])
})

test('where a storage cannot be listed, a good copy may be in it, and nothing is changed', async () => {
  const home = temporaryHome()
  const { own } = putBoth(home, { 'events.json': '[' }, {})
  onTestFinished(
    injectFiles({
      ...nodeFiles,
      list(path) {
        if (path === join(home, SILO, 'conversations')) throw Object.assign(new Error('no'), { code: 'EIO' })
        return nodeFiles.list(path)
      },
    }),
  )
  const report = await run(home)
  expect(report.blocked).toHaveLength(1)
  expect(report.left).toMatchObject([{ conversation: NAME }])
  expect(readFileSync(join(own, 'events.json'), 'utf8')).toBe('[')
})

describe('the lock of a conversation', () => {
  test('that cannot be taken on this system blocks the repair, unless a person says that no JP is at work', async () => {
    const home = temporaryHome()
    putOne(home, { 'metadata.json': undefined })
    vi.stubEnv('PATH', join(home, 'nothing'))
    onTestFinished(() => void vi.unstubAllEnvs())
    expect((await run(home)).blocked).toMatchObject([{ conversation: NAME, error: 'unsupported' }])
    expect((await run(home, { force: true })).repaired).toHaveLength(1)
  })

  test('that another process holds keeps us away', async () => {
    const home = temporaryHome()
    putOne(home, { 'metadata.json': undefined })
    const lock = join(home, 'shop/.jp/locks/jp-c17935272000.lock')
    mkdirSync(join(home, 'shop/.jp/locks'))
    writeFileSync(lock, '')
    const child = spawn('flock', ['-x', lock, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] })
    onTestFinished(() => void child.kill())
    await once(child.stdout, 'data')
    const report = await run(home)
    expect(report.skipped).toMatchObject([{ conversation: NAME, error: 'locked' }])
    expect(report.repaired).toEqual([])
    child.stdin.end()
  })

  test('is ours while we work', async () => {
    const home = temporaryHome()
    putOne(home, { 'events.json': '[' })
    const lock = join(home, 'shop/.jp/locks/jp-c17935272000.lock')
    let status: number | null = null
    const decide = {
      isInteractive: true,
      announce: async () => {},
      name: async () => ({ type: 'leave' as const }),
      events: async () => {
        expect(() => holdFlock(lock)).toThrow(/locked/)
        status = 1
        return { type: 'leave' as const }
      },
      flags: async () => ({ type: 'skip' as const }),
      mayTrashMany: async () => false,
    }
    await run(home, { decide })
    expect(status).toBe(1)
    holdFlock(lock).release()
  })
})

test('a copy that held its config in the events gets that of the copy it is made from', async () => {
  const home = temporaryHome()
  const { own, local } = putBoth(home, { 'base_config.json': undefined, 'events.json': '[' }, {})
  const { repaired } = await run(home)
  expect(repaired.map(({ file, source }) => [file, source])).toEqual([
    ['base_config.json', 'the user-local copy'],
    ['events.json', 'the user-local copy'],
  ])
  for (const file of ['base_config.json', 'events.json'])
    expect(readFileSync(join(own, file))).toEqual(readFileSync(join(local, file)))
})

test('more than five at once are not trashed without a word', async () => {
  const home = temporaryHome()
  for (let index = 0; index < 6; index++) putOne(home, { 'events.json': undefined }, `1793527000${index}`)
  putOne(home, { 'metadata.json': undefined })
  const before = treeOf(join(home, 'shop'))
  const report = await run(home)
  expect(report.left).toHaveLength(7)
  expect(treeOf(join(home, 'shop'))).toEqual(before)
  expect((await run(home, { force: true })).trashed).toHaveLength(6)
})

test('what JP kept before it had events is left alone beside them', async () => {
  const home = temporaryHome()
  putOne(home, { 'messages.json': '[]' })
  const before = treeOf(join(home, 'shop'))
  expect(linesOf(await run(home))).toEqual([])
  expect(treeOf(join(home, 'shop'))).toEqual(before)
})

test('a stray folder in the workspace does not make a private conversation public', async () => {
  const home = temporaryHome()
  putOne(home, {
    'metadata.json': undefined,
    'base_config.json': undefined,
    'events.json': undefined,
    'QUERY_MESSAGE.md': 'x',
  })
  putConversation(home, undefined, NAME)
  expect((await run(home)).trashed).toMatchObject([{ root: join(home, 'shop/.jp') }])
  expect(existsSync(join(home, SILO, 'conversations', NAME, 'events.json'))).toBe(true)
  expect(existsSync(join(home, 'shop/.jp/conversations', NAME))).toBe(false)
})

test('a check changes nothing, not even in our own folder', async () => {
  const home = temporaryHome()
  putOne(home, { 'metadata.json': '{', 'events.json': EVENTS_FIXTURE.subarray(0, 40) })
  const before = treeOf(home)
  const report = await run(home, { mode: 'check' })
  expect(report.left).toHaveLength(1)
  expect(treeOf(home)).toEqual(before)
})
