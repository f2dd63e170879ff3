// Sessions whose ids somebody chose: they are listed and read, never called healthy, and nothing is ever started or printed with them.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CliResult, rethreadInTurnWith, rethreadWith } from '../support/cli.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import { inFull } from '../support/full.ts'
import { type Hostile, putHostile, putRecorders, startedIn, TITLE, TOO_LONG } from '../support/hostile.ts'

let home = ''
let hostile: Hostile[] = []
const USUAL = sessionId(1)

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'rethread-hostile-'))
  putRecorders(home)
  hostile = putHostile(home)
  putConversation(home, 1)
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

async function run(...args: string[]): Promise<CliResult> {
  return await runWith(rethreadInTurnWith, ...args)
}

async function runWith(command: typeof rethreadWith, ...args: string[]): Promise<CliResult> {
  const path = [join(home, 'bin'), process.env['PATH']].join(delimiter)
  return await command(home, { PATH: path }, '--state', join(home, 'state'), ...args)
}

/** Escape sequences and controls, and what turns a line around. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are matched
const ACTED_ON = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

function expectNothingRan(): void {
  expect(startedIn(home)).toEqual([])
  for (const folder of [home, join(home, 'work', 'shop'), process.cwd()])
    expect(readdirSync(folder).filter(name => name.includes('CANARY'))).toEqual([])
}

interface Listed extends Hostile {
  sessionId: string
  status?: string
  title: string
  findings?: { damage: string; hint: string }[]
}

type Located = Listed & { filePath: string }

function sessionsIn({ stdout }: CliResult): Listed[] {
  return (JSON.parse(stdout) as { sessions: Listed[] }).sessions
}

const nameOf = ({ agent, id }: Hostile): string => `${agent} ${JSON.stringify(id).slice(0, 60)}`

describe('sessions with ids that no agent gives', () => {
  test('are listed with their titles, and none of them as healthy', async () => {
    const listed = sessionsIn(await run('list', '--json'))
    for (const { agent, id } of hostile) {
      const found = listed.find(session => session.agent === agent && session.sessionId === id)
      expect(found, nameOf({ agent, id })).toMatchObject({ status: 'corrupted', title: TITLE })
    }
    expect(listed.find(session => session.sessionId === USUAL)?.status).toBeUndefined()
    const { stdout, stderr } = await runWith(rethreadWith, 'list')
    expect(stdout + stderr).not.toMatch(ACTED_ON)
    expectNothingRan()
  })

  test('are found damaged by a check, with the reason', async () => {
    const { stdout, status } = await run('check', '--json')
    expect(status).toBe(3)
    const checked = sessionsIn({ stdout, stderr: '', status })
    for (const { agent, id } of hostile) {
      const found = checked.find(session => session.agent === agent && session.sessionId === id)
      expect(found?.status, nameOf({ agent, id })).toBe('corrupted')
      expect(
        found?.findings?.map(({ damage }) => damage),
        nameOf({ agent, id }),
      ).toContain('unusual-id')
    }
    expect(checked.find(session => session.sessionId === USUAL)?.status).toBe('healthy')
    const { stdout: text, stderr } = await run('check')
    expect(text + stderr).not.toMatch(ACTED_ON)
    expect(sessionsIn(await run('list', '--json')).filter(({ status: known }) => known === 'healthy')).toHaveLength(1)
    expectNothingRan()
  })

  test('say in their hints how they are read, so that it can be pasted into a shell', async () => {
    const checked = sessionsIn(await run('check', '--json'))
    const hints = checked.flatMap(({ findings = [] }) => findings.map(({ hint }) => hint))
    expect(hints.length).toBeGreaterThan(40)
    const commands = hints.map(hint => hint.slice(hint.indexOf(': rethread ') + 2))
    const said = execFileSync(
      'bash',
      ['-c', `rethread() { printf '%s\\1' "$@"; printf '\\2'; }; ${commands.join('\n')}`],
      {
        encoding: 'utf8',
        cwd: join(home, 'work', 'shop'),
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      },
    ).split('\u0002')
    expect(said).toHaveLength(hints.length + 1)
    for (const [number, hint] of hints.entries()) {
      const words = (said[number] ?? '').split('\u0001')
      const behind = words.slice(1, -1).filter(word => word !== '--raw')
      const [first = '', ...rest] = behind
      expect(behind.length, hint.slice(0, 200)).toBe(first === '--' ? 2 : 1)
      if (first !== '--') expect([first.startsWith('-'), rest]).toEqual([false, []])
    }
    expectNothingRan()
  })

  test('are read', async () => {
    const shown = hostile.filter(({ id }) => id.length < 300).slice(0, inFull(14, 5))
    for (const { id, agent } of shown) {
      const { stdout, stderr, status } = await run('show', '--json', '--', id)
      // One name stands for a session of each agent.
      if (stderr.includes(' matches ')) continue
      expect(status, stderr).toBe(0)
      expect(stdout, nameOf({ agent, id })).toContain(TITLE)
      expect(stdout).toContain('unusual-id')
      expect(stdout + stderr).not.toMatch(ACTED_ON)
    }
    expectNothingRan()
  })
})

/** One of each agent, by the path of its file or its own id. */
const RESUMED = [
  '--settings={"apiKeyHelper":"touch CANARY; echo x"}',
  '--yolo',
  '--prompt=touch CANARY',
  'T---dangerously-skip-permissions',
  '../../../etc/passwd',
]

describe('resume', () => {
  test.each(RESUMED)('refuses %s, and starts nothing', async id => {
    const matching = hostile.filter(one => one.id === id)
    expect(matching.length).toBeGreaterThan(0)
    const forms: string[][] = [['--print', '--json'], [], ['--print'], ['--no-repair'], ['--force']]
    const name = await only(id)
    // What the options change is the same for every id.
    for (const options of id === RESUMED[0] ? forms : forms.slice(0, 2)) {
      const args = ['resume', ...options, '--', name]
      const { stdout, stderr, status } = await run(...args)
      expect(status, args.join(' ')).toBe(1)
      expect(stderr).toMatch(/not have the form that .* uses/)
      // Nothing on stdout that a script could run.
      if (options.includes('--json')) expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'unsupported' } })
      else expect(stdout).toBe('')
    }
    expectNothingRan()
  })

  test('never passes on an id that only the file says, however long it is', async () => {
    const long = sessionsIn(await run('list', '--json')).find(({ sessionId: id }) => id === TOO_LONG.id) as
      | Located
      | undefined
    const { status, stderr } = await run('resume', long?.filePath ?? '')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/not have the form that .* uses/)])
    expectNothingRan()
  })

  test('refuses an id that begins with a hyphen also where it is not meant as one', async () => {
    const { status } = await run('resume', '--dangerously-skip-permissions')
    expect(status).toBe(2)
    expectNothingRan()
  })

  test('prints and starts the usual ones, with their id and nothing else', async () => {
    const folder = join(home, 'work', 'shop')
    const printed = await run('resume', USUAL, '--print')
    expect(printed.stdout).toBe(`cd ${folder} && claude --resume ${USUAL}\n`)
    const notified = JSON.parse((await run('resume', USUAL, '--print', '--json')).stdout)
    expect(notified).toMatchObject({ command: 'claude', args: ['--resume', USUAL], folder })
    expect((await runWith(rethreadWith, 'resume', USUAL)).status).toBe(0)
    expect(startedIn(home)).toEqual([join(home, 'bin', 'claude'), '--resume', USUAL])
    rmSync(join(home, 'started'))
  })
})

let located: Located[] | undefined

/** A session by a name that means it alone: its path, where others have the same id. */
async function only(id: string): Promise<string> {
  located ??= sessionsIn(await run('list', '--json')) as Located[]
  const listed = located
  const [first, second] = listed.filter(session => session.sessionId === id)
  return second === undefined ? id : (first?.filePath ?? id)
}

test('completion offers no id that would mean something to a shell', async () => {
  const { stdout } = await run('__complete', '--', 'resume', '')
  expect(stdout.split('\n').filter(line => line !== '')).toEqual([USUAL])
})

test('a copy outside every store may have any plain name: it is read, checked, and not resumed', async () => {
  const copy = join(home, 'copy of (1).jsonl')
  copyFileSync(join(home, '.claude/projects/-work-shop', `${USUAL}.jsonl`), copy)
  expect(sessionsIn(await run('check', '--json', copy))[0]).toMatchObject({ status: 'healthy', findings: [] })
  const { status, stderr } = await run('resume', copy)
  expect([status, stderr]).toEqual([1, expect.stringMatching(/not have the form that .* uses/)])
  const hostileCopy = join(home, '--yolo.jsonl')
  copyFileSync(copy, hostileCopy)
  expect(sessionsIn(await run('check', '--json', hostileCopy))[0]?.status).toBe('corrupted')
  expectNothingRan()
})

test('a file in the folder one is in does not stand in for a session of that name', async () => {
  const { status, stdout } = await run('show', USUAL, '--json')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ sessionId: USUAL })
  expect(existsSync(join(process.cwd(), USUAL))).toBe(false)
})
