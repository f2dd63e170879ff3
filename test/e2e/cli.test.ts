import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rethread, rethreadInTurn, rethreadInTurnWith } from '../support/cli.ts'
import { put, temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'

const FOLDER = '.claude/projects/-home-dev-shop'
const ID = 'abcdef00-0000-4000-8000-000000000001'

function record(n: number, content: string, more: object = {}): string {
  return `${JSON.stringify({
    parentUuid: n === 1 ? null : `u${n - 1}`,
    isSidechain: false,
    cwd: '/home/dev/shop',
    sessionId: ID,
    type: 'user',
    message: { role: 'user', content },
    uuid: `u${n}`,
    timestamp: new Date(Date.UTC(2026, 10, 1, 9, n)).toISOString(),
    ...more,
  })}\n`
}

function putSession(home: string, ...texts: string[]): string {
  return put(home, `${FOLDER}/${ID}.jsonl`, texts.map((text, index) => record(index + 1, text)).join(''))
}

describe('list', () => {
  test('is one JSON document of the promised shape', async () => {
    const home = temporaryHome()
    const file = putSession(home, 'Add a price', 'And a test')
    const { stdout, status } = await rethread(home, 'list', '--json')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      sessions: [
        {
          agent: 'claude-code',
          sessionId: ID,
          title: 'Add a price',
          project: '/home/dev/shop',
          filePath: file,
          updatedAt: '2026-11-01T09:02:00.000Z',
          fileSize: readFileSync(file).length,
          messageCount: 2,
          partial: false,
          notes: [
            {
              code: 'project-folder-gone',
              text: expect.stringContaining('/home/dev/shop'),
              hint: `Create the folder and resume: rethread resume --make-folder ${ID}`,
              offers: ['make-folder'],
            },
          ],
        },
      ],
      failures: [],
      withoutConversation: 0,
      more: 0,
      hidden: 0,
    })
  })

  test('without sessions says where it looked and what to do', async () => {
    const { stdout, status } = await rethreadInTurn(temporaryHome(), 'list')
    expect(stdout).toContain('No conversations found.')
    expect(stdout).toContain('rethread agents')
    expect(status).toBe(0)
  })

  test('marks what could be read only in part', async () => {
    const home = temporaryHome()
    const file = putSession(home, 'one', 'two')
    truncateSync(file, readFileSync(file).length - 30)
    const { stdout, status } = await rethreadInTurn(home, 'list')
    expect(stdout.split('\n')[1]).toMatch(/^⚠ {2}abcdef00/)
    expect(status).toBe(0)
  })

  test('a store that cannot be examined is a failure beside the others, with status 5', async () => {
    const home = temporaryHome()
    putSession(home, 'one')
    put(home, '.claude/projects/-lost/empty.jsonl', '')
    const { stdout, status } = await rethreadInTurn(home, 'list', '--json')
    const { sessions, failures } = JSON.parse(stdout)
    expect(sessions.map((session: { sessionId: string }) => session.sessionId).sort()).toEqual([ID, 'empty'].sort())
    expect(failures).toMatchObject([{ agent: 'claude-code', code: 'empty-file' }])
    expect(failures[0].hint).not.toBe('')
    expect(status).toBe(5)
  })

  test('a file that holds only titles is counted, not listed', async () => {
    const home = temporaryHome()
    put(home, `${FOLDER}/titles.jsonl`, '{"type":"summary","summary":"A title","leafUuid":"u9"}\n')
    expect(JSON.parse((await rethreadInTurn(home, 'list', '--json')).stdout)).toMatchObject({
      sessions: [],
      withoutConversation: 1,
    })
  })

  test('filters by agent, project, time and number', async () => {
    const home = temporaryHome()
    putSession(home, 'one')
    put(home, `${FOLDER}/other.jsonl`, record(1, 'elsewhere', { cwd: '/home/dev/other' }))
    const count = async (...args: string[]) =>
      JSON.parse((await rethreadInTurn(home, 'list', '--json', ...args)).stdout).sessions.length
    expect(await count()).toBe(2)
    expect(await count('--project', '/home/dev/shop')).toBe(1)
    expect(await count('--project', '/home/dev')).toBe(2)
    expect(await count('--limit', '1')).toBe(1)
    expect(await count('--since', '1h')).toBe(2)
    expect(await count('--since', '2199-01-01')).toBe(0)
    expect(await count('--agent', 'claude-code')).toBe(2)
    expect((await rethreadInTurn(home, 'list', '--agent', 'nobody')).status).toBe(2)
    expect((await rethreadInTurn(home, 'list', '--limit', 'many')).status).toBe(2)
  })

  test('reads a session once, and again only after it changed', async () => {
    const home = temporaryHome()
    const file = putSession(home, 'one')
    const listed = async () =>
      JSON.parse((await rethreadInTurn(home, 'list', '--json')).stdout).sessions[0].messageCount
    expect(await listed()).toBe(1)
    writeFileSync(file, record(1, 'one') + record(2, 'two'))
    expect(await listed()).toBe(2)
  })

  test('works where its own folder cannot be written', async () => {
    const home = temporaryHome()
    putSession(home, 'one')
    const blocked = put(home, 'a-file', '')
    const { stdout, status } = await rethreadInTurn(home, 'list', '--json', '--state', join(blocked, 'state'))
    expect(JSON.parse(stdout).sessions).toHaveLength(1)
    expect(status).toBe(0)
  })

  test('a damaged cache is thrown away, not believed', async () => {
    const home = temporaryHome()
    putSession(home, 'one')
    await rethreadInTurn(home, 'list')
    const state = join(home, '.local/state/rethread')
    for (const name of readdirSync(state).filter(entry => entry.endsWith('.sqlite')))
      writeFileSync(join(state, name), 'garbage '.repeat(1000))
    const { stdout, status } = await rethreadInTurn(home, 'list', '--json')
    expect(JSON.parse(stdout).sessions).toHaveLength(1)
    expect(status).toBe(0)
  })

  test('links out of the store are failures, not sessions', async () => {
    const home = temporaryHome()
    putSession(home, 'one')
    const outside = put(temporaryHome(), 'secret.jsonl', record(1, 'secret'))
    symlinkSync(outside, join(home, FOLDER, 'link.jsonl'))
    const { stdout } = await rethreadInTurn(home, 'list', '--json')
    expect(stdout).not.toContain('"secret"')
    expect(JSON.parse(stdout).failures).toMatchObject([{ code: 'outside-store' }])
  })
})

describe('show', () => {
  test('renders the conversation, and is plain when piped', async () => {
    const home = temporaryHome()
    putSession(home, 'Add a price', 'And a test')
    const { stdout, status } = await rethread(home, 'show', 'abcdef')
    expect(stdout.split('\n')[0]).toBe('Add a price')
    expect(stdout).toContain('You')
    expect(stdout).toContain('  And a test')
    expect(stdout).not.toContain('\u001b')
    expect(status).toBe(0)
  })

  test('opens with the mark where the conversation is still being written, and ends with what was skipped', async () => {
    const home = temporaryHome()
    const file = putSession(home, 'one', 'two')
    truncateSync(file, readFileSync(file).length - 30)
    const { stdout, status } = await rethreadInTurn(home, 'show', ID)
    expect(stdout.split('\n')[0]).toBe('⚠ Partial data (conversation may be updating)')
    expect(stdout).toContain('1 place skipped:')
    expect(stdout).toMatch(/torn-tail at bytes \d+ to \d+/)
    expect(status).toBe(3)
  })

  test('as JSON carries error, parsedUpTo, recovered and findings', async () => {
    const home = temporaryHome()
    const file = putSession(home, 'one', 'two')
    truncateSync(file, readFileSync(file).length - 30)
    const { stdout, status } = await rethreadInTurn(home, 'show', ID, '--json')
    const shown = JSON.parse(stdout)
    expect(shown).toMatchObject({ agent: 'claude-code', sessionId: ID, title: 'one', project: '/home/dev/shop' })
    expect(shown.messages).toHaveLength(1)
    expect(shown.messages[0]).toMatchObject({ role: 'user', at: { file, start: 0 } })
    expect(shown.partial).toMatchObject({ error: { code: 'still-being-written' }, recovered: true })
    expect(shown.partial.parsedUpTo).toBeGreaterThan(0)
    expect(shown.partial.findings[0].at.end).toBe(readFileSync(file).length)
    expect(status).toBe(3)
  })

  test('--raw gives the stored bytes', async () => {
    const home = temporaryHome()
    const file = putSession(home, 'one', 'two')
    expect((await rethreadInTurn(home, 'show', ID, '--raw')).stdout).toBe(readFileSync(file, 'utf8'))
  })

  test('takes a path, also of a copy outside every store', async () => {
    const home = temporaryHome()
    const file = putSession(home, 'one')
    const copy = put(temporaryHome(), 'copy.jsonl', readFileSync(file))
    expect((await rethreadInTurn(home, 'show', file)).stdout).toContain('one')
    expect((await rethreadInTurn(home, 'show', copy)).stdout).toContain('one')
  })

  test('says which sessions an ambiguous beginning stands for', async () => {
    const home = temporaryHome()
    put(home, `${FOLDER}/abc1.jsonl`, record(1, 'one'))
    put(home, `${FOLDER}/abc2.jsonl`, record(1, 'two'))
    const { stderr, status } = await rethreadInTurn(home, 'show', 'abc')
    expect(stderr).toContain('abc1')
    expect(stderr).toContain('abc2')
    expect(status).toBe(2)
    expect((await rethreadInTurn(home, 'show', 'abc1')).status).toBe(0)
  })

  test('of nothing is status 5 with a hint, also as JSON', async () => {
    const home = temporaryHome()
    const { stdout, stderr, status } = await rethreadInTurn(home, 'show', 'nobody', '--json')
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'session-not-found' })
    expect(stderr).toContain('rethread list')
    expect(status).toBe(5)
  })

  test('--limit and --since leave out the beginning', async () => {
    const home = temporaryHome()
    putSession(home, 'one', 'two', 'three')
    const shown = async (...args: string[]) =>
      JSON.parse((await rethreadInTurn(home, 'show', ID, '--json', ...args)).stdout).messages
    expect((await shown('--limit', '2')).map((message: { id: string }) => message.id)).toEqual(['u2', 'u3'])
    expect(await shown('--since', '2026-11-01T09:03:00Z')).toHaveLength(1)
  })

  test('every skip is in the log once, at WARN, with file and offset', async () => {
    const home = temporaryHome()
    const file = putSession(home, 'one', 'two')
    const cut = readFileSync(file, 'utf8')
    writeFileSync(file, `${cut}not a record\n`)
    await rethreadInTurn(home, 'show', ID)
    const log = readFileSync(join(home, '.local/state/rethread/rethread.log'), 'utf8').trim().split('\n')
    expect(log).toHaveLength(1)
    expect(JSON.parse(log[0] ?? '')).toMatchObject({ level: 40, damage: 'malformed-record', file, start: cut.length })
  })
})

describe('hostile content', () => {
  const ESCAPE = '\u001b]0;owned\u0007\u001b[31mred\u009b31m\u202e'

  test('no control character of a session reaches the terminal: text, title, tool output, file names', async () => {
    const home = temporaryHome()
    putSession(home, `Title ${ESCAPE}`, ESCAPE)
    put(home, `${FOLDER}/${'evil\u001b[2J'}.jsonl`, '')
    for (const args of [
      ['list'],
      ['show', ID],
      ['show', ID, '--full'],
      ['list', '--json'],
      ['show', ID, '--json'],
      ['agents'],
    ]) {
      const { stdout, stderr } = await rethreadInTurnWith(home, { FORCE_COLOR: '0' }, ...args)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      expect(stdout + stderr, args.join(' ')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
    }
  })

  test('a value that is nested beyond reason is shown up to a depth, not a crash', async () => {
    const home = temporaryHome()
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const call = `[{"type":"tool_use","id":"t","name":"Deep","input":{"x":${deep}}},{"type":"tool_use_of_tomorrow","x":${deep}}]`
    const line = record(1, 'x')
      .replace('"content":"x"', `"id":"m","content":${call}`)
      .replace('"type":"user"', '"type":"assistant"')
    put(home, `${FOLDER}/${ID}.jsonl`, line)
    for (const args of [
      ['show', ID],
      ['show', ID, '--full'],
      ['show', ID, '--json'],
      ['list', '--json'],
    ])
      expect((await rethreadInTurn(home, ...args)).status, args.join(' ')).toBe(0)
    const shown = JSON.parse((await rethreadInTurn(home, 'show', ID, '--json')).stdout)
    expect(shown.messages).toHaveLength(1)
  })

  test('in a terminal, --raw is made safe too', async () => {
    const home = temporaryHome()
    putSession(home, 'hi')
    const file = join(home, FOLDER, `${ID}.jsonl`)
    writeFileSync(file, readFileSync(file, 'utf8').replace('"hi"', '"h\u009bi"'))
    const command = `${process.execPath} ${rethreadBin} --home ${home} show ${ID} --raw`
    const shown = execFileSync('script', ['-qec', command, '/dev/null'], {
      encoding: 'latin1',
      env: { ...process.env, PAGER: 'cat' },
    })
    expect(shown).not.toContain('\u009b')
  })
})

describe('the rest of the command line', () => {
  test('agents tells of each whether it was found and where', async () => {
    const home = temporaryHome()
    putSession(home, 'one')
    const { agents } = JSON.parse((await rethreadInTurn(home, 'agents', '--json')).stdout)
    const found = agents.find((agent: { id: string }) => agent.id === 'claude-code')
    expect(found).toMatchObject({ found: true, sessions: 1 })
    expect(found.stores[0]).toMatchObject({ path: join(home, '.claude/projects'), found: true })
    expect(agents.filter((agent: { found: boolean }) => agent.found)).toHaveLength(1)
  })

  test('--help is help, with status 0; nonsense is status 2', async () => {
    const home = temporaryHome()
    expect(await rethread(home, '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Lost a conversation?'),
    })
    expect((await rethreadInTurn(home, 'frobnicate')).status).toBe(2)
    expect((await rethread(home, 'show')).status).toBe(2)
  })

  test('completes commands, options and sessions', async () => {
    const home = temporaryHome()
    putSession(home, 'one')
    expect((await rethreadInTurn(home, '__complete', '--', 'li')).stdout).toBe('list\n')
    expect((await rethreadInTurn(home, '__complete', '--', 'list', '--pro')).stdout).toBe('--project\n')
    expect((await rethreadInTurn(home, '__complete', '--', 'show', 'abc')).stdout).toBe(`${ID}\n`)
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await rethreadInTurn(home, 'completion', shell)).stdout).toContain('__complete')
    expect((await rethreadInTurn(home, 'completion', 'cmd')).status).toBe(2)
  })

  test('a reader that goes away early is no error', () => {
    const home = temporaryHome()
    putSession(home, ...Array.from({ length: 5000 }, (_, i) => `message ${i} ${'x'.repeat(200)}`))
    const command = `${process.execPath} ${rethreadBin} --home ${home} show ${ID} --json | head -c 10`
    expect(
      execFileSync('bash', ['-o', 'pipefail', '-c', command], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    ).toHaveLength(10)
  })

  test('two at once do not disturb each other', async () => {
    const home = temporaryHome()
    putSession(home, 'one')
    for (let i = 0; i < 20; i++) put(home, `${FOLDER}/s${i}.jsonl`, record(1, `session ${i}`))
    const results = await Promise.all([1, 2, 3, 4].map(() => rethread(home, 'list', '--json')))
    for (const { stdout, status } of results) {
      expect(status).toBe(0)
      expect(JSON.parse(stdout).sessions).toHaveLength(21)
    }
  })

  test('a folder in the place of a session file is no session, and no crash', async () => {
    const home = temporaryHome()
    mkdirSync(join(home, FOLDER, `${ID}.jsonl`), { recursive: true })
    const { stdout, status } = await rethreadInTurn(home, 'list', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ sessions: [], failures: [] })
    expect(status).toBe(0)
  })
})
