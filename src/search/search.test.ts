import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pass } from '../../test/support/archive.ts'
import { lines, put, temporaryHome } from '../../test/support/home.ts'
import { rethreadBin } from '../../test/support/package.ts'
import type { Context } from '../catalog/context.ts'
import { makeContext } from '../catalog/context.ts'
import { openSearchIndex, searchIndexPath } from '../disk/search/search-index.ts'
import { type SearchQuery, search } from './index.ts'
import { searchAnswerSchema } from './shapes.ts'

const ONE = '11111111-1111-4111-8111-111111111111'
const TWO = '22222222-2222-4222-8222-222222222222'
const DAY_MS = 86_400_000

type Said = string | { tool: string; input: unknown } | { output: string }

/** A log as an agent writes it: what a person says, what the model answers, a call, its output, in turn. */
function records(id: string, said: readonly Said[], { from = 0, project = '/home/dev/shop', day = 0 } = {}): unknown[] {
  return said.map((each, at) => {
    const number = from + at
    const isModel = typeof each === 'string' ? number % 2 === 1 : 'tool' in each
    const content =
      typeof each === 'string'
        ? [{ type: 'text', text: each }]
        : 'tool' in each
          ? [{ type: 'tool_use', id: `call-${number}`, name: each.tool, input: each.input }]
          : [{ type: 'tool_result', tool_use_id: `call-${number - 1}`, content: each.output }]
    return {
      parentUuid: number === 0 ? null : uuid(id, number - 1),
      uuid: uuid(id, number),
      sessionId: id,
      cwd: project,
      type: isModel ? 'assistant' : 'user',
      timestamp: new Date(Date.UTC(2026, 8, 1) + day * DAY_MS + number * 1000).toISOString(),
      message: { role: isModel ? 'assistant' : 'user', content },
    }
  })
}

function uuid(id: string, number: number): string {
  return `${id.slice(0, 24)}${String(number).padStart(12, '0')}`
}

function logOf(home: string, id: string): string {
  return join(home, '.claude/projects/-home-dev-shop', `${id}.jsonl`)
}

interface Stage {
  home: string
  context: Context
  add(id: string, said: readonly Said[], options?: Parameters<typeof records>[2]): string
  /** The ids and message numbers of what is found. */
  find(text: string, query?: Partial<SearchQuery>): Promise<string[]>
}

function stage(): Stage {
  const home = temporaryHome()
  const context = makeContext({ home, state: join(home, 'state') })
  return {
    home,
    context,
    add: (id, said, options) =>
      put(home, `.claude/projects/-home-dev-shop/${id}.jsonl`, lines(...records(id, said, options))),
    async find(text, query = {}) {
      const answer = searchAnswerSchema.parse(await search({ text, ...query }, context))
      return answer.results.flatMap(({ sessionId, matches }) =>
        matches.length === 0
          ? [sessionId.slice(0, 1)]
          : matches.map(({ message }) => `${sessionId.slice(0, 1)}:${message}`),
      )
    },
  }
}

const TALK: Said[] = [
  'Please find out why getUserName fails with the naïve café',
  'The helper snake_case_name in app.config.json calls foo(bar) twice, and HTTPServer refuses it.',
  '価格を追加する方法を教えてください',
  { tool: 'Read', input: { file_path: '/home/dev/shop/src/cart/total.ts', limit: 40 } },
  { output: `\u001b[31merror\u001b[39m TS2551: nothing here\n${'x '.repeat(20_000)}\nthe last line: exitcode` },
]

test.each([
  ['getUserName', '1:1'],
  ['user', '1:1'],
  ['username', undefined],
  ['get_user_name', '1:1'],
  ['cafe naive', '1:1'],
  ['CAFÉ', '1:1'],
  ['snake_case_name', '1:2'],
  ['snake', '1:2'],
  ['app.config.json', '1:2'],
  ['config', '1:2'],
  ['http server', '1:2'],
  ['"foo(bar"', '1:2'],
  ['"oo(bar)"', '1:2'],
  ['"foo[bar"', undefined],
  ['"calls foo"', '1:2'],
  ['"foo calls"', undefined],
  ['refus*', '1:2'],
  ['価格', '1:3'],
  ['追加', '1:3'],
  ['"価格を追加"', '1:3'],
  ['"価格を削除"', undefined],
  ['total.ts', '1:4'],
  ['error', '1:5'],
  ['TS2551', '1:5'],
  ['exitcode', '1:5'],
  ['why -naive', undefined],
  ['why -absent', '1:1'],
  ['foo ( bar NEAR( "', '1:2'],
  ['foo : bar^', '1:2'],
  ['"', undefined],
  ['* OR', undefined],
])('%s is found where it was said: %s', async (text, place) => {
  const { add, find } = stage()
  add(ONE, TALK)
  expect(await find(text)).toEqual(place === undefined ? [] : [place])
})

test('an exact text in the call of a tool is found where the id of the call is as long as its text', async () => {
  const { add, find, context } = stage()
  add(ONE, ['go', { tool: 'Ls', input: { at: 'a.b' } }, { output: 'ok' }])
  expect(await find('"a.b"')).toEqual(['1:2'])
  expect(await find('ls a.b')).toEqual(['1:2'])
  expect(await find('"a.c"')).toEqual([])
  const { results } = await search({ text: 'ls a.b' }, context)
  expect(results[0]?.matches).toMatchObject([{ snippet: 'Ls a.b', part: 'tool-call' }])
})

test('the name of a session or a role in the index is no word that was said', async () => {
  const { add, find } = stage()
  add(ONE, ['go on', { tool: 'Go', input: {} }, { output: 'gone' }])
  for (const text of ['s1', 'S1', 's*', 's1*', 'ru', 'ra', 'rt', 'r*', '"s1 ru"', '"ra rt"', 's1 ru'])
    expect(await find(text), text).toEqual([])
})

test('the passage is one line around what was found, marked, and with its place in the file', async () => {
  const { add, context } = stage()
  const file = add(ONE, TALK)
  const { results, indexed } = await search({ text: 'foo(bar) twice' }, context)
  expect(indexed).toEqual({ sessions: 1, behind: 0 })
  expect(results).toMatchObject([
    { agent: 'claude-code', sessionId: ONE, project: '/home/dev/shop', isArchived: false },
  ])
  const match = results[0]?.matches[0]
  if (match === undefined || !('start' in match.place)) throw new Error('There is no match in a file.')
  expect(match.marks.map(([start, end]) => match.snippet.slice(start, end))).toEqual(['foo(bar', 'twice'])
  const stored = readFileSync(file).subarray(match.place.start, match.place.end).toString()
  expect(JSON.parse(stored)).toMatchObject({ uuid: uuid(ONE, 1) })
  const output = (await search({ text: 'TS2551' }, context)).results[0]?.matches[0]
  expect(output).toMatchObject({ role: 'tool', part: 'tool-result', message: 5 })
  expect(output?.snippet).toMatch(/^error TS2551: nothing here x x/)
})

test('filters leave out other agents, projects, times, roles, sessions and files', async () => {
  const { add, find } = stage()
  add(ONE, ['the deploy failed', 'the deploy is repaired', { output: 'deploy: ok' }])
  add(TWO, ['a deploy of cart.ts', { tool: 'Read', input: { path: 'src/cart.ts' } }], {
    project: '/home/dev/api',
    day: 10,
  })
  const all = ['1:1', '1:2', '1:3', '2:1']
  expect((await find('deploy')).sort()).toEqual(all)
  expect(await find('deploy', { agent: 'codex' })).toEqual([])
  expect((await find('deploy', { agent: 'claude-code' })).sort()).toEqual(all)
  expect(await find('deploy', { project: '/home/dev/api' })).toEqual(['2:1'])
  expect(await find('deploy', { project: '/home/dev/ap' })).toEqual([])
  expect(await find('deploy', { since: Date.UTC(2026, 8, 5) })).toEqual(['2:1'])
  expect((await find('deploy', { until: Date.UTC(2026, 8, 5) })).sort()).toEqual(['1:1', '1:2', '1:3'])
  expect(await find('deploy', { role: 'assistant' })).toEqual(['1:2'])
  expect(await find('deploy', { role: 'tool' })).toEqual(['1:3'])
  expect((await find('deploy', { role: 'user' })).sort()).toEqual(['1:1', '2:1'])
  expect(await find('deploy', { in: '2222' })).toEqual(['2:1'])
  expect(await find('deploy', { file: 'src/cart.ts' })).toEqual(['2:1'])
  expect(await find('', { file: 'src/cart.ts' })).toEqual(['2:2'])
  expect(new Set((await find('deploy', { limit: 1 })).map(place => place.slice(0, 1))).size).toBe(1)
})

test('words in different messages of one conversation are found together, after those in one message', async () => {
  const { add, find } = stage()
  add(ONE, ['the kettle is red', 'and the lamp is blue'], { day: 5 })
  add(TWO, ['a kettle and a lamp', 'yes'])
  const found = await find('kettle lamp')
  expect(found[0]).toBe('2:1')
  expect(found.slice(1).sort()).toEqual(['1:1', '1:2'])
})

test('of equal conversations the newest comes first', async () => {
  const { add, find } = stage()
  add(ONE, ['the kettle is red', 'yes'], { day: 1 })
  add(TWO, ['the kettle is red', 'yes'], { day: 2 })
  expect(await find('kettle')).toEqual(['2:1', '1:1'])
})

test('what an agent appends is found, and what was indexed before stays as it is', async () => {
  const { add, find, home, context } = stage()
  add(ONE, ['the kettle is red', 'yes it is'])
  expect(await find('kettle')).toEqual(['1:1'])
  const before = partsIn(context)
  appendFileSync(logOf(home, ONE), lines(...records(ONE, ['and the lamp is blue'], { from: 2 })))
  expect(await find('lamp')).toEqual(['1:3'])
  expect(partsIn(context).slice(0, before.length)).toEqual(before)
  expect(partsIn(context)).toHaveLength(before.length + 1)
  // Another file in its place.
  add(ONE, ['the spoon is new', 'yes'])
  expect(await find('spoon')).toEqual(['1:1'])
  expect(await find('lamp')).toEqual([])
  rmSync(logOf(home, ONE))
  expect(await find('spoon')).toEqual([])
})

function partsIn(context: Context): unknown[] {
  const index = openSearchIndex(context.state)
  try {
    const parts = [...index.match('{facets} : "s1"')].reverse()
    return parts.filter(({ message }) => message > 0)
  } finally {
    index.close()
  }
}

test('a conversation that only the archive still has is found, with its text', async () => {
  const { add, context, home } = stage()
  add(ONE, ['the kettle is red', 'yes it is'])
  await pass(context)
  rmSync(logOf(home, ONE))
  const { results } = await search({ text: 'kettle' }, context)
  expect(results).toMatchObject([
    { sessionId: ONE, isArchived: true, matches: [{ message: 1, snippet: 'the kettle is red' }] },
  ])
})

test('what is left of a damaged log is found', async () => {
  const { home, find, add } = stage()
  const file = add(ONE, ['the kettle is red', 'yes it is', 'and the lamp is blue', 'quite'])
  const [first = '', second = '', third = '', fourth = ''] = readFileSync(file, 'utf8').split('\n')
  writeFileSync(logOf(home, ONE), `${first}\n${second.slice(0, 40)}${third}\n\0\0\0\0\n${fourth.slice(0, -30)}`)
  expect(await find('kettle')).toEqual(['1:1'])
  expect(await find('"lamp is"')).toHaveLength(1)
})

test('a damaged index is built again, and so is one that was deleted', async () => {
  const { add, find, context } = stage()
  add(ONE, ['the kettle is red', 'yes it is'])
  expect(await find('kettle')).toEqual(['1:1'])
  const path = searchIndexPath(context.state)
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0x5a, 4096))
  expect(await find('kettle')).toEqual(['1:1'])
  writeFileSync(path, 'not a database at all, but long enough to be read as the header of one'.repeat(20))
  expect(await find('kettle')).toEqual(['1:1'])
  rmSync(path)
  expect(await find('kettle')).toEqual(['1:1'])
})

test('an index that cannot be written answers all the same, and says why it is not kept', async () => {
  const { add, context } = stage()
  add(ONE, ['the kettle is red', 'yes it is'])
  mkdirSync(searchIndexPath(context.state), { recursive: true })
  const failures: string[] = []
  const { results } = await search({ text: 'kettle' }, context, { onFailure: ({ path = '' }) => failures.push(path) })
  expect(results).toHaveLength(1)
  expect(failures).toEqual([searchIndexPath(context.state)])
})

test('a search that may not index answers with what is there and says how much is behind', async () => {
  const { add, context } = stage()
  add(ONE, ['the kettle is red', 'yes it is'])
  const none = await search({ text: 'kettle' }, context, { isUpdated: false })
  expect(none).toMatchObject({ results: [], indexed: { sessions: 0, behind: 0 } })
})

test('progress counts sessions and bytes, the newest session first', async () => {
  const { add, context } = stage()
  add(ONE, ['the kettle is red', 'yes it is'])
  add(TWO, ['the lamp is blue', 'yes it is'])
  const steps: { done: number; total: number }[] = []
  await search({ text: 'kettle' }, context, { onProgress: ({ done, total }) => steps.push({ done, total }) })
  expect(steps[0]).toEqual({ done: 0, total: 2 })
  expect(steps.at(-1)).toEqual({ done: 2, total: 2 })
})

test('processes that are killed while they index, and several at once, leave an index that is complete', async () => {
  const { add, find, home, context } = stage()
  const ids = Array.from({ length: 30 }, (_, n) => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`)
  for (const id of ids) add(id, [`the kettle of ${id.slice(0, 8)}`, 'yes '.repeat(500)])
  const start = () =>
    spawn(process.execPath, [rethreadBin, '--home', home, '--state', context.state, 'search', 'kettle', '--json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const killed = start()
  await untilThere(searchIndexPath(context.state))
  killed.kill('SIGKILL')
  const answers = await Promise.all([start(), start()].map(outputOf))
  for (const text of answers) expect(JSON.parse(text)).toMatchObject({ indexed: { sessions: 30, behind: 0 } })
  for (const id of ids.slice(0, 3)) expect(await find(`"kettle of ${id.slice(0, 8)}"`)).toHaveLength(1)
})

async function untilThere(path: string): Promise<void> {
  for (;;) {
    try {
      readFileSync(path)
      return
    } catch {
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
}

async function outputOf(child: ReturnType<typeof spawn>): Promise<string> {
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise(resolve => child.on('close', resolve))
  return Buffer.concat(chunks).toString()
}
