// Conversations with the mock agent in a folder. Knows nothing of a test, so that a process of its own can have them too.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeClientSide, type OwnClientSide } from '../../src/journal/client/index.ts'
import { Conversations, type ConversationsOptions } from '../../src/journal/conversations.ts'
import type { AgentFiles } from '../../src/journal/restore/agent-files-interface.ts'
import { openJournal } from '../../src/journal/store/open.ts'
import type { JournalStore } from '../../src/journal/store/store.ts'
import { mockAgentCommand } from './package.ts'

export interface MockConversations {
  journal: string
  store: JournalStore
  conversations: Conversations
  clientSide: OwnClientSide
}

export interface MockConversationsOptions extends Partial<ConversationsOptions> {
  folder: string
  /** Further arguments of the mock agent; it keeps its sessions in `folder/agent`. */
  flags?: readonly string[]
}

/** Of agents whose stores nobody knows. */
export const NO_CARE: AgentFiles = {
  check: async () => 'unknown',
  snapshot: async () => undefined,
  repair: async () => ({ status: 'unknown', text: 'Where this agent keeps its sessions is not known.' }),
}

export async function makeMockConversations({
  folder,
  flags = [],
  ...options
}: MockConversationsOptions): Promise<MockConversations> {
  const journal = join(folder, 'journal.sqlite')
  mkdirSync(projectIn(folder), { recursive: true })
  const store = options.store ?? (await openJournal(journal))
  const clientSide = makeClientSide({ foldersOf: async () => [projectIn(folder)] })
  const { command, args } = mockAgentCommand()
  const ownFlags = ['--store', join(folder, 'agent'), '--log', join(folder, 'agent.log'), ...flags]
  const conversations = new Conversations({
    agent: name => ({ name, title: 'Mock', command, args: [...args, ...ownFlags], env: {} }),
    initialize: () => ({ protocolVersion: 1, clientCapabilities: clientSide.capabilities }),
    agentFiles: NO_CARE,
    clientSide,
    onBackgroundError: error => {
      throw error
    },
    ...options,
    store,
  })
  return { journal, store, conversations, clientSide }
}

export function projectIn(folder: string): string {
  return join(folder, 'project')
}

export function say(text: string): { prompt: { type: 'text'; text: string }[] } {
  return { prompt: [{ type: 'text', text }] }
}
