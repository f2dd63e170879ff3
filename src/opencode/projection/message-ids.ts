// The ids of messages on the wire, derived from the journal alone.
import type { ConversationMessage } from '../../journal/conversation/changes.ts'
import { asFields } from '../../journal/envelope.ts'
import { promptParams } from '../../journal/store/notes.ts'
import type { JournalEvent } from '../../journal/store/store.ts'
import { answerId, messageId } from '../ids.ts'
import { MAX_GIVEN_ID_CHARS } from './limits.ts'

/** In the `_meta` of a prompt: the message id that the client chose. */
export const MESSAGE_ID_MARK = 'rethread/messageId'

export class MessageIds {
  readonly #sessionId: string
  readonly #forkedUpTo: number
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** `forkedUpTo`: ids in events up to this one belong to messages of another session. */
  constructor(sessionId: string, forkedUpTo: number) {
    this.#sessionId = sessionId
    this.#forkedUpTo = forkedUpTo
  }

  get(conversationId: string): string | undefined {
    return this.#names.get(conversationId)
  }

  /** Assigns the id with the first event of the message. */
  name(message: ConversationMessage, event: JournalEvent): string {
    const known = this.#names.get(message.id)
    if (known !== undefined) return known
    const name = message.role === 'user' ? this.#nameOfUser(message, event) : this.#nameOfAnswer(message)
    this.#names.set(message.id, name)
    this.#taken.add(name)
    return name
  }

  #nameOfUser(message: ConversationMessage, event: JournalEvent): string {
    const given = event.seq > this.#forkedUpTo ? givenId(event) : undefined
    return given === undefined || this.#taken.has(given) ? this.#own(message) : given
  }

  #nameOfAnswer(message: ConversationMessage): string {
    const answered = this.#names.get(message.answers ?? '')
    if (answered === undefined) return this.#own(message)
    let count = 1
    while (this.#taken.has(answerId(answered, count))) count++
    return answerId(answered, count)
  }

  /** A client may have chosen an id that looks like one of rethread's. */
  #own({ id, firstSeq }: ConversationMessage): string {
    let number = Number(id.split('-')[1] ?? 0)
    while (this.#taken.has(messageId(this.#sessionId, firstSeq, number))) number++
    return messageId(this.#sessionId, firstSeq, number)
  }
}

function givenId({ envelope, sender }: JournalEvent): string | undefined {
  const { method, params } = asFields(envelope)
  if (sender !== 'client') return undefined
  const isPrompt = method === 'session/prompt' || method === '_rethread/prompt_taken'
  const prompted = isPrompt ? asFields(asFields(promptParams(envelope))['_meta'])[MESSAGE_ID_MARK] : undefined
  const given = method === '_rethread/queued' ? asFields(params)['messageId'] : prompted
  return typeof given === 'string' && given !== '' && given.length <= MAX_GIVEN_ID_CHARS ? given : undefined
}
