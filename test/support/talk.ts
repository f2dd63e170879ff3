// Live conversations with the mock agent, in a temporary folder: for tests of the journal.
import { onTestFinished } from 'vitest'
import type { JournalEvent } from '../../src/journal/store/store.ts'
import { temporaryHome } from './home.ts'
import { killProcess } from './kill-process.ts'
import {
  type MockConversations,
  type MockConversationsOptions,
  makeMockConversations,
  projectIn,
} from './mock-conversations.ts'

export { NO_CARE, say } from './mock-conversations.ts'

export interface Talk extends MockConversations {
  folder: string
  flags: readonly string[]
  /** Received since it was opened. */
  events: JournalEvent[]
  close(): Promise<void>
}

/** `folder`: for a second one over what the first left. */
export type TalkOptions = Partial<MockConversationsOptions>

export async function openConversations(options: TalkOptions = {}): Promise<Talk> {
  const { folder = temporaryHome(), flags = [] } = options
  const made = await makeMockConversations({ ...options, folder })
  const { conversations, store } = made
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
  return { ...made, folder, flags, events, close }
}

/** Another rethread over what this one leaves, as after a restart. */
export async function reopen(talk: Talk, options: Omit<TalkOptions, 'folder'> = {}): Promise<Talk> {
  await talk.close()
  return await openConversations({ flags: talk.flags, ...options, folder: talk.folder })
}

/** Begins a conversation in the project's folder. */
export async function begin({ conversations, folder }: Talk): Promise<string> {
  const { session } = await conversations.create({ agent: 'mock', cwd: projectIn(folder) })
  return session.id
}

/** Kills the agent's process as a crash would, and waits until that is written down. */
export async function killAgent(talk: MockConversations, id: string): Promise<void> {
  const { connection } = await talk.conversations.ensure(id)
  await killAgentOnly(talk, id)
  await connection.closed
}

/** The process has exited, and nothing is written down of that yet. */
export async function killAgentOnly({ conversations, store }: MockConversations, id: string): Promise<void> {
  const { connection } = await conversations.ensure(id)
  const pid = (await store.getConnection(connection.id))?.process?.pid
  if (pid === undefined) throw new Error('There is no agent to kill.')
  await killProcess(pid)
}
