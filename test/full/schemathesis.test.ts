// The real server, asked what its own description allows and forbids, by a program that knows nothing else of it.
// Schemathesis comes from PyPI, or from RETHREAD_TEST_SCHEMATHESIS (the path of the program `st`).
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ask } from '../support/ask.ts'
import { putConversation } from '../support/conversations.ts'
import { temporaryHome } from '../support/home.ts'
import { linkStorage, putWorkspace, WHOLE } from '../support/jp/store.ts'
import { BAD_EVENTS } from '../support/sanitize-stage.ts'
import { type Served, serveWith } from '../support/serve.ts'

const VERSION = 'schemathesis>=4.32,<5'
const TOKEN = 'a-token-for-schemathesis'
const TIMEOUT_MS = 1_800_000
const MAX_EXAMPLES = 25
/** A machine under load is slow, not wrong. */
const REQUEST_SECONDS = 600

interface Tool {
  program: string
}

/** Why there is none, where there is none. */
function findTool(): Tool | string {
  const named = process.env['RETHREAD_TEST_SCHEMATHESIS']
  if (named !== undefined)
    return spawnSync(named, ['--version']).status === 0 ? { program: named } : `${named} does not run`
  const folder = mkdtempSync(join(tmpdir(), 'rethread-schemathesis-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  if (spawnSync('python3', ['-m', 'venv', folder]).status !== 0) return 'there is no Python with venv'
  const { status, stderr } = spawnSync(join(folder, 'bin', 'pip'), ['install', '--quiet', VERSION], {
    encoding: 'utf8',
  })
  if (status !== 0) return `it cannot be installed from PyPI: ${stderr.trim().split('\n').at(-1)}`
  return { program: join(folder, 'bin', 'st') }
}

const tool = findTool()
if (typeof tool === 'string') process.stderr.write(`The API is not tried with Schemathesis: ${tool}.\n`)

const rows = z.object({ sessions: z.array(z.object({ key: z.string(), agent: z.string() })) })
const begun = z.object({ id: z.string() })
const receipts = z.object({ receipts: z.array(z.object({ id: z.string() })) })

/** Names of what is there, so that more is tried than how an unknown name is refused. */
async function findNames({ port }: Served, home: string) {
  const call = async <Value>(path: string, schema: z.ZodType<Value>, body?: object): Promise<Value> => {
    const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return (await ask(port, path, { token: TOKEN, ...posted })).as(schema)
  }
  const list = async () => (await call('/api/sessions', rows)).sessions
  await expect.poll(async () => (await list()).length).toBe(3)
  const sessions = await list()
  const [folder] = sessions.filter(({ agent }) => agent === 'jp')
  for (const { key } of sessions) await call(`/api/sessions/${key}/repair`, z.unknown(), {})
  const conversations = [1, 2, 3].map(
    async () => (await call('/api/conversations', begun, { agent: 'mock', folder: home })).id,
  )
  return {
    keys: sessions.map(({ key }) => key),
    folderKey: folder?.key ?? '',
    conversations: await Promise.all(conversations),
    receipts: (await call('/api/receipts', receipts)).receipts.map(({ id }) => id),
  }
}

type Names = Awaited<ReturnType<typeof findNames>>

/**
 * What the description cannot say: which folders and messages are there, whether the agent still has a session, and
 * what remains of a name without invisible characters.
 */
const REFUSED_BY_MEANING = [
  'GET /api/sessions',
  'POST /api/conversations',
  'POST /api/conversations/{id}/answer',
  'POST /api/conversations/{id}/fork',
  'POST /api/folders',
  'POST /api/sessions/{key}/label',
  'POST /api/sessions/{key}/restore',
  'POST /api/sessions/{key}/sanitize',
]
const ACCEPTED = ['2xx', '3xx', 401, 403, 404, 409, 429, '5xx']

function configOf({ keys, folderKey, conversations, receipts: repairs }: Names): string {
  const value = (given: unknown): string => JSON.stringify(given)
  const values = { keys, folders: [folderKey], conversations, repairs }
  const operation = (lines: readonly string[]): string => ['[[operations]]', ...lines, ''].join('\n')
  const named = (name: string, list: keyof typeof values): string =>
    `parameters = { ${value(name)} = { dictionary = ${value(list)}, probability = 0.8 } }`
  return [
    'continue-on-failure = true',
    `request-timeout = ${REQUEST_SECONDS}`,
    `[generation]\nmax-examples = ${MAX_EXAMPLES}`,
    `[auth.openapi.token]\nbearer = ${value(TOKEN)}`,
    ...Object.entries(values).map(([name, list]) => `[dictionaries.${name}]\nvalues = ${value(list)}`),
    // A busy machine is slow, not wrong.
    `[checks]\nmax_response_time = ${REQUEST_SECONDS}`,
    // "This cannot be done here" is an answer, and not a failure.
    `[checks.not_a_server_error]\nexpected-statuses = ${value(['2xx', '3xx', '4xx', 501])}`,
    // A body or an address that is too long is refused before it is read.
    `[checks.negative_data_rejection]\nexpected-statuses = ${value([400, 401, 403, 404, 405, 409, 413, 415, 422, 431, '5xx'])}`,
    operation(['include-path-regex = "/sanitize"', named('path.key', 'folders')]),
    operation(['include-path-regex = "^/api/sessions/[^/]+(/[^s].*)?$"', named('path.key', 'keys')]),
    operation(['include-path-regex = "^/api/conversations/[^a]"', named('path.id', 'conversations')]),
    // What is removed from the lists stays in the journal, as the description says.
    operation(['include-name = "GET /api/conversations/{id}"', 'checks.use_after_free.enabled = false']),
    operation(['include-path-regex = "^/api/receipts/"', named('path.id', 'repairs')]),
    operation([
      `include-name = ${value(REFUSED_BY_MEANING)}`,
      `checks.positive_data_acceptance.expected-statuses = ${value([...ACCEPTED, 400])}`,
    ]),
  ].join('\n\n')
}

test.skipIf(typeof tool === 'string')(
  'every answer is one that the description allows, and what it forbids is refused',
  async () => {
    const home = temporaryHome()
    putConversation(home, 1)
    putConversation(home, 2, { brokenAt: 9 })
    linkStorage(home, join(home, 'shop/.jp'))
    putWorkspace(home, { ...WHOLE, 'events.json': BAD_EVENTS }, '17935272000-in-the-cart')
    const served = await serveWith(home, { RETHREAD_TOKEN: TOKEN })
    const folder = mkdtempSync(join(tmpdir(), 'rethread-schemathesis-run-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'schemathesis.toml'), configOf(await findNames(served, home)))
    const { status, said } = await run(folder, `http://127.0.0.1:${served.port}/api/openapi.json`)
    expect(status, said).toBe(0)
    expect((await ask(served.port, '/api/health', { token: TOKEN })).status).toBe(200)
  },
  TIMEOUT_MS,
)

async function run(folder: string, address: string): Promise<{ status: number | null; said: string }> {
  const program = typeof tool === 'string' ? '' : tool.program
  // A conversation that is there may have no such question to answer: 404 does not mean that it is missing.
  const checks = ['--checks', 'all', '--exclude-checks', 'ensure_resource_availability']
  const args = ['run', address, ...checks, '--no-color', '-H', `Authorization: Bearer ${TOKEN}`]
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      said += chunk
    })
  const status = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { status, said }
}
