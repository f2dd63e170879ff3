// The live conversations of the server. The journal is opened on first use, so that a broken journal breaks
// nothing else.

import type { Context } from '../../catalog/context.ts'
import { type ConversationParts, openConversationParts } from '../../journal/agent-files/open-conversations.ts'
import type { OwnClientSide } from '../../journal/client/index.ts'
import { makeClientSide } from '../../journal/client/index.ts'
import { Conversations } from '../../journal/conversations.ts'
import { asFields } from '../../journal/envelope.ts'
import type { JournalStore } from '../../journal/store/store.ts'

export interface OpenConversations extends ConversationParts {
  conversations: Conversations
  clientSide: OwnClientSide
}

export interface ConversationService {
  /**
   * Concurrent calls share one journal. Throws if the journal cannot be opened; the next call tries again.
   */
  open(): Promise<OpenConversations>
  /** Undefined until the first `open`. */
  readonly current: OpenConversations | undefined
  /** Stops the agents, waits until the journal contains that, and closes it. */
  stop(): Promise<void>
}

export interface ConversationServiceOptions {
  context: Context
  version: string
  /** Values that no agent may find in its environment, such as the token. */
  secrets: readonly string[]
}

export function makeConversationService(options: ConversationServiceOptions): ConversationService {
  let opening: Promise<OpenConversations> | undefined
  let current: OpenConversations | undefined
  return {
    open() {
      opening ??= openAll(options).then(
        opened => {
          current = opened
          return opened
        },
        error => {
          opening = undefined
          throw error
        },
      )
      return opening
    },
    get current() {
      return current
    },
    async stop() {
      const opened = await opening?.catch(() => undefined)
      await opened?.conversations.stop()
      await opened?.store.close()
    },
  }
}

async function openAll({ context, version, secrets }: ConversationServiceOptions): Promise<OpenConversations> {
  const parts = await openConversationParts(context, secrets)
  const clientSide = makeClientSide({ foldersOf: async id => await foldersOf(parts.store, id), variables: parts.env })
  const conversations = new Conversations({
    ...parts,
    clientSide,
    initialize: () => ({
      protocolVersion: 1,
      clientCapabilities: clientSide.capabilities,
      clientInfo: { name: 'rethread', title: 'rethread', version },
    }),
  })
  try {
    await conversations.settle()
    await conversations.others.follow()
    return { ...parts, clientSide, conversations }
  } catch (error) {
    await parts.store.close()
    throw error
  }
}

/** The folders that an agent may read and write: those its session was started with. */
async function foldersOf(store: JournalStore, sessionId: string): Promise<string[]> {
  const session = await store.getSession(sessionId)
  if (session === undefined) return []
  const more: unknown = asFields(JSON.parse(session.initJson ?? '{}'))['additionalDirectories']
  const others = Array.isArray(more) ? more.filter(folder => typeof folder === 'string') : []
  return [session.cwd, ...others]
}
