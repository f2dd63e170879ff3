// Forks a session at its end, or before one of its messages.
import type { JournalSession } from '../journal/store/store.ts'
import type { Api } from './api.ts'
import { notFound } from './errors.ts'
import { PAGE_EVENTS } from './projection/limits.ts'
import { SessionView } from './projection/session-view.ts'
import type { Session } from './shapes/session.ts'

/** `messageID`: the first message that the copy does not have. */
export async function forkSession(api: Api, id: string, messageID: string | undefined): Promise<Session> {
  const { conversations, sessions, ids } = api
  const parent = await sessions.find(id)
  const { title, ...rest } = await sessions.metadata(parent.id)
  const total = await conversations.store.count(parent.id)
  const cut = messageID === undefined ? undefined : await cutBefore(api, parent, messageID)
  const upTo = cut?.upTo ?? total
  const without = new Set(cut?.queued ?? (await api.views.get(parent.id)).queued().map(({ key }) => key))
  const named = { ...rest, ...(title === undefined ? {} : { title: forkTitle(title) }), isGivenId: false }
  const child = ids.next()
  // Without events, the agent has nothing to fork.
  if (upTo - without.size <= 0)
    await conversations.prepare({
      agent: parent.agent,
      cwd: parent.cwd,
      id: child,
      metadata: { ...named, parent: parent.id },
    })
  else
    await conversations.fork(parent.id, {
      upTo,
      without,
      id: child,
      metadata: { title: undefined, ...named, forkedUpTo: upTo - without.size },
    })
  return await sessions.announce(child)
}

const FORK_NUMBER = / \(fork #(\d+)\)$/

function forkTitle(title: string): string {
  const number = Number(FORK_NUMBER.exec(title)?.[1] ?? 0) + 1
  return `${title.replace(FORK_NUMBER, '')} (fork #${number})`
}

interface Cut {
  /** The last event before the message. */
  upTo: number
  /** The keys of the prompts that wait at this point, the message itself among them. */
  queued: string[]
}

/**
 * A client may have chosen the message id, so its event is found by reading. A message that waited is cut off
 * where it was sent, so that the answer before it is whole.
 */
async function cutBefore(
  { conversations: { store }, sessions }: Api,
  parent: JournalSession,
  messageID: string,
): Promise<Cut> {
  const view = new SessionView(parent, await sessions.metadata(parent.id), { isWanted: () => false })
  for (let after = 0; ; ) {
    const page = await store.page(parent.id, { after, limit: PAGE_EVENTS })
    for (const event of page.events) {
      const queued = view.queued().map(({ key }) => key)
      view.apply(event)
      const isQueued = view.queued().some(message => message.messageID === messageID)
      if (view.hasMessage(messageID) && !isQueued) return { upTo: event.seq - 1, queued }
    }
    if (page.lastSeq <= after || page.lastSeq >= page.total) break
    after = page.lastSeq
  }
  // It still waits.
  const queued = view.queued().map(({ key }) => key)
  if (view.hasMessage(messageID)) return { upTo: view.lastSeq, queued }
  throw notFound(`There is no message ${messageID} in this session.`)
}
