// Live conversations with the mock agent, in a temporary folder: for tests of the journal.
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { StoreCare } from '../../src/journal/care.ts'
import { makeClientSide, type OwnClientSide } from '../../src/journal/client/index.ts'
import { Conversations, type ConversationsOptions } from '../../src/journal/conversations.ts'
import { openJournal } from '../../src/journal/open.ts'
import type { JournalEvent, JournalStore } from '../../src/journal/store.ts'
import { mockAgentCommand } from '../../src/mock-agent/command.ts'
import { temporaryHome } from './home.ts'

export interface Talk {
  folder: string
  flags: readonly string[]
  journal: string
  store: JournalStore
  conversations: Conversations
  clientSide: OwnClientSide
  /** Told since it was opened. */
  events: JournalEvent[]
  close(): Promise<void>
}

export interface TalkOptions extends Partial<ConversationsOptions> {
  /** For a second one over what the first left. */
  folder?: string
  /** Further arguments of the mock agent; it keeps its sessions in `folder/agent`. */
  flags?: readonly string[]
}

/** Of agents whose stores nobody knows. */
export const NO_CARE: StoreCare = {
  check: async () => 'unknown',
  snapshot: async () => undefined,
  mend: async () => ({ status: 'unknown', text: 'Where this agent keeps its sessions is not known.' }),
}

export async function openTalk({ folder = temporaryHome(), flags = [], ...options }: TalkOptions = {}): Promise<Talk> {
  const journal = join(folder, 'journal.sqlite')
  mkdirSync(join(folder, 'project'), { recursive: true })
  const store = options.store ?? (await openJournal(journal))
  const clientSide = makeClientSide({ foldersOf: async () => [join(folder, 'project')] })
  const { command, args } = mockAgentCommand()
  // From the second process on, half of the time to start one is saved.
  const env = { NODE_COMPILE_CACHE: join(homedir(), 'compiled') }
  const ownFlags = ['--store', join(folder, 'agent'), '--log', join(folder, 'agent.log'), ...flags]
  const conversations = new Conversations({
    agent: name => ({ name, title: 'Mock', command, args: [...args, ...ownFlags], env }),
    initialize: () => ({ protocolVersion: 1, clientCapabilities: clientSide.capabilities }),
    care: NO_CARE,
    clientSide,
    onTrouble: error => {
      throw error
    },
    ...options,
    store,
  })
  const events: JournalEvent[] = []
  conversations.on(event => {
    events.push(event)
    return undefined
  })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= conversations.stop().then(async () => await store.close())
    return closing
  }
  onTestFinished(close)
  return { folder, flags, journal, store, conversations, clientSide, events, close }
}

/** Another rethread over what this one leaves, as after a restart. */
export async function reopen(talk: Talk, options: Omit<TalkOptions, 'folder'> = {}): Promise<Talk> {
  await talk.close()
  return await openTalk({ flags: talk.flags, ...options, folder: talk.folder })
}

/** Begins a conversation in the project's folder. */
export async function begin({ conversations, folder }: Talk): Promise<string> {
  const { session } = await conversations.create({ agent: 'mock', cwd: join(folder, 'project') })
  return session.id
}

export function say(text: string): { prompt: { type: 'text'; text: string }[] } {
  return { prompt: [{ type: 'text', text }] }
}

/** Kills the agent's process as a crash would, and waits until that is written down. */
export async function killAgent({ conversations, store }: Talk, id: string): Promise<void> {
  const { connection } = await conversations.ensure(id)
  const pid = (await store.getConnection(connection.id))?.process?.pid
  if (pid === undefined) throw new Error('There is no agent to kill.')
  process.kill(pid, 'SIGKILL')
  await connection.closed
}
