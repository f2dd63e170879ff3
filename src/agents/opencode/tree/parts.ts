// Reads a large session of the tree in parts: each has some messages. All threads see the files as they were when the
// session was planned. A part with a file that was changed since then is read in its turn, as in a reading of the whole.
import { statIfThere } from '../../../disk/files/handles.ts'
import { identityOf } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { PartEnd, PartJoiner, StoreParts, TrueState } from '../../parts.ts'
import { GrowingPlan, PART_BYTES } from '../../stores/part-log.ts'
import { ConversationBuilder, type TakenMessages } from '../conversation.ts'
import { endConversation, MessageReader, messagesOf, openConversation } from './read.ts'
import type { RecordFile } from './records.ts'

/** The clocks of disks differ from ours: a file that was changed so shortly before the plan counts as changed after it. */
const CLOCKS_DIFFER_MS = 2000

interface Known {
  messages: RecordFile[]
  /** Milliseconds since 1970. */
  unchangedSince: number
}

export const parts: StoreParts = {
  plan(session, sizes, onPart) {
    const unchangedSince = Date.now() - CLOCKS_DIFFER_MS
    const messages = messagesOf(session)
    const { info } = openConversation(session, messages.length > 0)
    // The messages after a revert depend on where it was.
    if (info.revert !== undefined || messages.length === 0) return undefined
    const own = statIfThere(session.filePath, 'stat')
    // The reading of the whole says what that means.
    if (own === undefined) return undefined
    const part = sizes?.part ?? PART_BYTES
    const growing = new GrowingPlan({ identity: identityOf(own) }, onPart)
    const perPart = Math.ceil((messages.length * part) / Math.max(part, session.fileSize))
    for (let start = 0; start < messages.length; start += perPart) {
      const known: Known = { messages: messages.slice(start, start + perPart), unchangedSince }
      growing.add({ warmUp: start, start, end: start + known.messages.length }, known)
    }
    return growing.plan
  },

  *read(session, plan, part, from) {
    const known = plan.parts[part]?.known as Known | undefined
    if (known === undefined) return undefined
    const conversation = new ConversationBuilder(session.sessionId, {}, undefined)
    const reader = new MessageReader(session, conversation)
    for (const message of known.messages) {
      const shown = reader.take(message)
      if (from === undefined && reader.changedAt >= known.unchangedSince) return undefined
      if (shown !== undefined) yield shown
    }
    const collected = conversation.taken()
    return collected && { before: '', after: '', collected }
  },

  join: session => new Joiner(session),
}

class Joiner implements PartJoiner {
  readonly #session: SessionRef
  readonly #conversation: ConversationBuilder

  constructor(session: SessionRef) {
    this.#session = session
    this.#conversation = openConversation(session, true)
  }

  /** No message depends on another one. */
  accepts(): boolean {
    return true
  }

  add({ collected }: PartEnd): boolean {
    this.#conversation.add(collected as TakenMessages)
    return this.#conversation.info.revert === undefined
  }

  state(): TrueState {
    return { state: '', met: undefined }
  }

  end(): ReturnType<PartJoiner['end']> {
    return endConversation(this.#session, this.#conversation)
  }

  close(): void {}
}
