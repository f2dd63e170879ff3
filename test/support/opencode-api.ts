// The API over real conversations with the mock agent, without a server in front of it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { makeAgents } from '../../src/journal/connection/acp-agents.ts'
import type { AgentCommand } from '../../src/journal/connection/agent-process.ts'
import { AllowedFolders } from '../../src/opencode/allowed-folders.ts'
import type { OpenCodeOptions, OpenJournal } from '../../src/opencode/api.ts'
import { makeOpenCode } from '../../src/opencode/app.ts'
import { HTTP_OF_ERROR } from '../../src/server/http-status.ts'
import { EventLog } from './event-log.ts'
import { temporaryHome } from './home.ts'
import {
  type MockConversations,
  type MockConversationsOptions,
  makeMockConversations,
  projectIn,
} from './mock-conversations.ts'
import { mockAgentCommand } from './package.ts'

export interface Answered {
  status: number
  // Whatever it is: the test says what it should be.
  body: unknown
}

export interface TestApi {
  talk: MockConversations & OpenJournal
  /** In which sessions work that name no other. */
  folder: string
  call(method: string, path: string, body?: unknown): Promise<Answered>
  /** The body of an answer that is a success. */
  get<Body = Record<string, unknown>>(path: string): Promise<Body>
  post<Body = Record<string, unknown>>(path: string, body?: unknown): Promise<Body>
  /** Of a new session. */
  begin(body?: object): Promise<string>
  prompt(id: string, text: string, more?: object): Promise<Prompted>
  /** To one session, or to all. */
  listen(id?: string): Promise<EventLog>
}

export interface Prompted {
  info: { id: string; parentID: string; role: string; providerID: string; modelID: string; error?: unknown }
  parts: { type: string; text?: string }[]
}

export interface ApiOptions extends Partial<MockConversationsOptions> {
  api?: Partial<OpenCodeOptions>
  /** As if they were configured. */
  allowed?: readonly string[]
}

/** For one test. */
export async function openApi(options: ApiOptions = {}): Promise<TestApi> {
  const { api, close } = await startApi({ folder: temporaryHome(), ...options })
  onTestFinished(close)
  return api
}

/** One for all tests of a file: starting an agent takes longer than most of them. */
export function shareApi(options: ApiOptions = {}): () => TestApi {
  let started: Awaited<ReturnType<typeof startApi>> | undefined
  const folder = mkdtempSync(join(tmpdir(), 'rethread-api-'))
  beforeAll(async () => {
    started = await startApi({ folder, ...options })
  })
  afterAll(async () => {
    await started?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    if (started === undefined) throw new Error('The API was not made.')
    return started.api
  }
}

export async function startApi({ api = {}, allowed = [], flags = [], ...options }: ApiOptions & { folder: string }) {
  const mock = mockAgentCommand()
  const agents = makeAgents({
    // The mock agent under a name of its own, which counts as any other agent.
    configured: { other: { ...mock, args: [...mock.args], env: {} } },
    defaultAgent: 'mock',
    // Beside the mock agent, one that is not installed.
    defaults: [{ name: 'absent', title: 'Absent', command: 'not-there-acp', args: [], store: 'absent' }],
    mock,
    variables: process.env,
  })
  const { folder } = options
  const own = ['--store', join(folder, 'agent'), ...flags]
  const agent = (name: string): AgentCommand => {
    const command = agents.get(name)
    return { ...command, args: [...command.args, ...own], env: {} }
  }
  const talk = await makeMockConversations({ agent, ...options })
  const { conversations, clientSide, store } = talk
  const home = projectIn(folder)
  const { app, stop } = makeOpenCode({
    open: async () => ({ conversations, clientSide, agents }),
    folders: { directory: home, worktree: home, home, state: home, config: home, branch: undefined },
    allowed: new AllowedFolders({
      own: [home],
      home: '/home/nobody',
      configured: async () => allowed,
      configFile: 'config.json',
    }),
    version: '1',
    statusOf: code => HTTP_OF_ERROR[code],
    log: (text, details) => {
      throw new Error(`${text} ${JSON.stringify(details)}`)
    },
    ...api,
  })
  const close = async (): Promise<void> => {
    stop()
    await conversations.stop()
    await store.close()
  }
  return { api: makeTestApi({ ...talk, agents }, home, async (path, init) => await app.request(path, init)), close }
}

type Request = (path: string, init?: RequestInit) => Promise<Response>

function makeTestApi(talk: TestApi['talk'], folder: string, request: Request): TestApi {
  const call: TestApi['call'] = async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await request(path, { method, ...sent })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const succeed = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body)
    expect(answer, `${method} ${path}`).toMatchObject({ status: 200 })
    return answer.body
  }
  const api: TestApi = {
    talk,
    folder,
    call,
    get: async <Body>(path: string) => (await succeed('GET', path)) as Body,
    post: async <Body>(path: string, body?: unknown) => (await succeed('POST', path, body)) as Body,
    begin: async body => (await api.post<{ id: string }>('/session', body)).id,
    prompt: async (id, text, more = {}) =>
      await api.post<Prompted>(`/session/${id}/message`, { parts: [{ type: 'text', text }], ...more }),
    listen: async id => {
      const log = new EventLog(await request('/event'), id)
      await log.until(({ type }) => type === 'server.connected')
      return log
    },
  }
  return api
}
