// The state of one conversation that a client watches or uses, derived from its events.

import { fromAgentError } from '../../../journal/agent-errors.ts'
import type { ConversationChange } from '../../../journal/conversation/changes.ts'
import { ConversationReducer } from '../../../journal/conversation/reducer.ts'
import { readNote } from '../../../journal/store/notes.ts'
import type { JournalEvent, JournalSession } from '../../../journal/store/store.ts'
import { failureOf } from '../../../model/errors.ts'
import type { ApiError, TalkState } from '../../api.ts'
import { MAX_SHOWN_ENTRIES } from '../../limits.ts'
import { showCommands } from './commands.ts'
import { LiveMessages } from './messages.ts'
import { cut, showQuestion } from './questions.ts'
import { isPrompt, type Tail } from './tail.ts'

/** The parts of the state that do not come from the events. */
export type Surroundings = Pick<TalkState, 'key' | 'isListed' | 'agentTitle' | 'preparing'> & {
  /** The agent runs in this process. Only then its questions can be answered. */
  isAlive: boolean
}

export interface Changed {
  messages: string[]
  /** The state has changed. */
  isOther: boolean
}

export class LiveSession {
  readonly id: string
  readonly messages: LiveMessages
  /** Why the conversation takes no prompt, as of the last check. */
  heldElsewhere: ApiError | undefined
  title: string | undefined
  readonly #session: JournalSession
  readonly #reducer = new ConversationReducer()
  #lastSeq = 0
  #wholeFrom = 0
  #pending: string | undefined
  #prompts = 0
  #failure: TalkState['failure'] = null
  #restored: TalkState['restored'] = null
  #plan: TalkState['plan'] = []
  #mode: string | null = null
  #commands: TalkState['commands'] = []

  constructor(session: JournalSession, file: string) {
    this.#session = session
    this.id = session.id
    this.messages = new LiveMessages(file)
  }

  get isBusy(): boolean {
    return this.#prompts > 0 || this.#reducer.state.turns.length > 0
  }

  /** Must be called before any other event is added. */
  begin({ events, wholeFrom, lastSeq }: Tail): void {
    this.#wholeFrom = wholeFrom
    for (const event of events) this.take(event)
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq)
  }

  take(event: JournalEvent): Changed {
    if (event.seq <= this.#lastSeq) return { messages: [], isOther: false }
    this.#lastSeq = event.seq
    const changes = this.#reducer.apply(event)
    const wasPending = this.#pending !== undefined && isPrompt(event)
    if (wasPending) this.#pending = undefined
    if (isPrompt(event)) this.#wholeFrom = Math.min(this.#wholeFrom, event.seq)
    const isOther = changes.map(change => this.#note(change)).includes(true)
    return { messages: this.#say(event, changes), isOther: isOther || wasPending }
  }

  /** A prompt was accepted. It is sent when the agent is ready. */
  promptTaken(text: string): void {
    this.#prompts++
    this.#pending = text
    this.#failure = null
  }

  promptEnded(): void {
    this.#prompts--
    this.#pending = undefined
  }

  promptFailed(error: unknown, prompt: string): void {
    this.#failure = { ...describeFailure(error), prompt: cut(prompt) === prompt ? prompt : null }
  }

  state({ isAlive, ...surroundings }: Surroundings): TalkState {
    const { agent, cwd } = this.#session
    const questions = isAlive ? [...this.#reducer.state.questions.values()] : []
    const idle = this.#failure === null ? 'idle' : 'error'
    return {
      id: this.id,
      ...surroundings,
      agent,
      title: this.title ?? null,
      folder: cwd,
      status: this.isBusy ? 'busy' : idle,
      pending: this.#pending === undefined ? null : cut(this.#pending),
      questions: questions.map(({ question }) => showQuestion(question)).filter(shown => shown !== undefined),
      restored: this.#restored,
      failure: this.#failure,
      heldElsewhere: this.heldElsewhere ?? null,
      plan: this.#plan,
      mode: this.#mode,
      commands: this.#commands,
    }
  }

  #say(event: JournalEvent, changes: readonly ConversationChange[]): string[] {
    if (event.seq < this.#wholeFrom) return []
    const settled = event.kind === '_rethread/settled' ? readNote('_rethread/settled', event.envelope) : undefined
    const noted = settled === undefined ? [] : [this.messages.note(event.seq, event.createdAt, settled.text)]
    return [...noted, ...this.messages.take(changes)]
  }

  /** Returns whether more than messages changed. */
  #note(change: ConversationChange): boolean {
    switch (change.type) {
      case 'status':
      case 'asked':
      case 'settled':
        return true
      case 'plan':
        this.#plan = change.entries
          .slice(0, MAX_SHOWN_ENTRIES)
          .map(({ content, status }) => ({ content: cut(content), status: cut(status) }))
        return true
      case 'title':
        this.title ??= cut(change.title)
        return true
      case 'mode':
        this.#mode = cut(change.mode)
        return true
      case 'commands':
        this.#commands = showCommands(change.commands)
        return true
      case 'restored': {
        const { strategy: rung, text, lost, at } = change
        this.#restored = {
          rung,
          text: cut(text),
          lost: lost === undefined ? null : cut(lost),
          time: new Date(at).toISOString(),
        }
        return true
      }
      case 'message':
      case 'part':
      case 'error':
      case 'forked':
      case 'notice':
        return false
    }
  }
}

/** An error that the agent answers with is not a fault of rethread. */
function describeFailure(error: unknown): ApiError {
  const { code, text, hint } = failureOf('', fromAgentError(error, SAID))
  return { code, text, hint }
}

const SAID = 'Your message is saved in the journal. Send it again, or send another.'
