// A rethread over a real agent: a journal, conversations and care for the agent's store, all in one temporary home.
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { makeContext } from '../../../src/catalog/context.ts'
import { makeAgentFiles } from '../../../src/journal/agent-files/index.ts'
import { makeClientSide, type Waiting } from '../../../src/journal/client/index.ts'
import { Conversations } from '../../../src/journal/conversations.ts'
import { asFields } from '../../../src/journal/envelope.ts'
import { openJournal } from '../../../src/journal/store/open.ts'
import type { JournalEvent, JournalStore } from '../../../src/journal/store/store.ts'
import { listOf, textOf } from '../models/values.ts'
import { type AcpAgent, binaryOf } from './acp-agents.ts'

export interface Place {
  agent: AcpAgent
  /** Where the agents are installed. */
  installed: string
  home: string
  /** Of the model server. */
  port: number
  /** Variables of this case alone. */
  variables?: Record<string, string>
}

export interface OpenConversations {
  place: Place
  project: string
  store: JournalStore
  conversations: Conversations
  context: ReturnType<typeof makeContext>
  /** Received since it was opened. */
  events: JournalEvent[]
  /** The permissions that were asked for; each is granted once. */
  permissions: unknown[]
  troubles: unknown[]
  close(): Promise<void>
}

export async function openConversations(place: Place): Promise<OpenConversations> {
  const { agent, home, port } = place
  const project = join(home, 'shop')
  mkdirSync(project, { recursive: true })
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  const store = await openJournal(join(home, 'journal.sqlite'))
  const clientSide = makeClientSide({ foldersOf: async () => [project], variables: variablesOf(place) })
  const troubles: unknown[] = []
  const conversations = new Conversations({
    store,
    clientSide,
    agentFiles: makeAgentFiles({ context, storeOf: { [agent.name]: agent.store } }),
    agent: name => ({ name, title: agent.title, command: binaryOf(agent, place.installed), args: agent.args, env: {} }),
    initialize: () => ({ protocolVersion: 1, clientCapabilities: clientSide.capabilities }),
    onBackgroundError: error => void troubles.push(error),
    env: variablesOf({ ...place, variables: { ...agent.variables(port), ...place.variables } }),
  })
  const events: JournalEvent[] = []
  const permissions: unknown[] = []
  conversations.on(event => {
    events.push(event)
    if (event.kind !== 'session/request_permission') return undefined
    permissions.push(asFields(event.envelope)['params'])
    // It waits once the request has been passed on, which is after it was reported.
    setImmediate(() =>
      grant(clientSide.waiting(event.sessionId), (key, optionId) =>
        clientSide.answer(key, { type: 'selected', optionId }),
      ),
    )
    return undefined
  })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= conversations.stop().then(async () => await store.close())
    return closing
  }
  return { place, project, store, conversations, context, events, permissions, troubles, close }
}

function grant(waiting: readonly Waiting[], answer: (key: string, optionId: string) => void): void {
  for (const { key, params } of waiting) {
    const options = listOf(asFields(params)['options']).map(asFields)
    const once = options.find(({ kind }) => kind === 'allow_once') ?? options[0]
    answer(key, textOf(once?.['optionId']))
  }
}

/** Nothing of our own environment; the agents are scripts for the Node that runs the tests. */
function variablesOf({ home, variables = {} }: Pick<Place, 'home' | 'variables'>): Record<string, string> {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
  return { PATH: path, HOME: home, TERM: 'dumb', ...variables }
}

export async function begin({ conversations, place, project }: OpenConversations): Promise<string> {
  const { session } = await conversations.create({ agent: place.agent.name, cwd: project })
  return session.id
}

export function say(text: string): { prompt: { type: 'text'; text: string }[] } {
  return { prompt: [{ type: 'text', text }] }
}

/** The process that rethread started for the session. */
export async function processOf({ conversations, store }: OpenConversations, id: string): Promise<number> {
  const { connection } = await conversations.ensure(id)
  const pid = (await store.getConnection(connection.id))?.process?.pid
  if (pid === undefined) throw new Error('There is no agent.')
  return pid
}

/** Kills the agent with all it started, as a crash of the machine would, and waits until that is written down. */
export async function killAgent(opened: OpenConversations, id: string): Promise<void> {
  const { connection } = await opened.conversations.ensure(id)
  process.kill(-(await processOf(opened, id)), 'SIGKILL')
  await connection.closed
}
