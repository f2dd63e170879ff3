// Runs the turns of each session one after the other, and publishes their status.
import type { Conversations } from '../../journal/conversations.ts'
import { fromAgentError } from '../../journal/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { MESSAGE_ID_MARK } from '../projection/message-ids.ts'
import type { SessionView } from '../projection/session-view.ts'
import type { Views } from '../projection/views.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { ChosenSettings } from './model-settings.ts'
import { type Prompted, RunningTurn, type TurnAnswer } from './running-turn.ts'

/** Prompts that may wait in one session while a turn runs. */
export const MAX_QUEUED_TURNS = 32

export interface TurnsOptions {
  conversations: Conversations
  views: Views
  settings: ChosenSettings
  publish(view: SessionView, events: readonly OpenCodeEvent[]): void
  /** Whether a prompt to this agent is answered as soon as the agent asks something. */
  answersEarly(agent: string): boolean
  /** Called when a turn has ended, successfully or not. */
  onEnd(sessionId: string, view: SessionView): Promise<void>
}

interface TurnQueue {
  running: RunningTurn
  waiting: RunningTurn[]
}

/** Sessions are identified by their journal ids. */
export class Turns {
  readonly #options: TurnsOptions
  readonly #queues = new Map<string, TurnQueue>()

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  isBusy(sessionId: string): boolean {
    return this.#queues.has(sessionId)
  }

  /** Resolves when the turn has ended, or where `answersEarly` when the agent asks something. Throws `busy` where too many wait. */
  start(sessionId: string, prompted: Prompted): Promise<TurnAnswer> {
    const turn = new RunningTurn(prompted)
    const queue = this.#queues.get(sessionId)
    if (queue === undefined) {
      const queue: TurnQueue = { running: turn, waiting: [] }
      this.#queues.set(sessionId, queue)
      void this.#runAll(sessionId, queue)
    } else {
      if (queue.waiting.length >= MAX_QUEUED_TURNS) throw tooMany()
      queue.waiting.push(turn)
    }
    return turn.answered
  }

  /** The events of a session to publish now. */
  pass(sessionId: string, events: readonly OpenCodeEvent[]): OpenCodeEvent[] {
    const running = this.#queues.get(sessionId)?.running
    return running === undefined ? [...events] : running.pass(events)
  }

  /** The agent asked something that only a person can answer. */
  noteAsked({ session: { id, agent } }: SessionView): void {
    if (this.#options.answersEarly(agent)) this.#queues.get(id)?.running.answer({ type: 'pending' })
  }

  /** Drops the waiting turns and cancels the running one, whichever client started it. */
  async abort(sessionId: string): Promise<void> {
    const queue = this.#queues.get(sessionId)
    for (const turn of queue?.waiting.splice(0) ?? []) turn.answer({ type: 'failed', error: aborted() })
    queue?.running.abort()
    await this.#options.conversations.cancel(sessionId)
  }

  /** The server stops: no waiting turn is started. */
  stop(): void {
    for (const { running, waiting } of this.#queues.values()) {
      running.abort()
      for (const turn of waiting.splice(0)) turn.answer({ type: 'failed', error: aborted() })
    }
  }

  async #runAll(sessionId: string, queue: TurnQueue): Promise<void> {
    for (let turn: RunningTurn | undefined = queue.running; turn !== undefined; turn = queue.waiting.shift()) {
      queue.running = turn
      await this.#run(sessionId, queue)
    }
  }

  /** Never rejects: a failure is the answer. */
  async #run(sessionId: string, queue: TurnQueue): Promise<void> {
    const { views, publish, onEnd } = this.#options
    const { running: turn } = queue
    const leave = (): void => {
      if (queue.waiting.length === 0) this.#queues.delete(sessionId)
    }
    const end = await this.#prompt(sessionId, turn).then(
      () => ({ type: 'ended' }) as const,
      (error: unknown) => ({ type: 'failed', error }) as const,
    )
    try {
      const view = await views.get(sessionId)
      if (end.type === 'failed' && !turn.isErrorPublished) publish(view, [errorEvent(view, end.error)])
      await onEnd(sessionId, view)
      // Idle first, then published, so that a client that reacts finds it idle.
      leave()
      publish(view, turn.finish(view))
      turn.answer(end)
    } catch (error) {
      leave()
      turn.answer({ type: 'failed', error })
    }
  }

  async #prompt(sessionId: string, turn: RunningTurn): Promise<void> {
    const { conversations, views, settings, publish } = this.#options
    const view = await views.get(sessionId)
    publish(view, turn.begin(view))
    await unlessAborted(turn, async () => {
      const live = await conversations.ensure(sessionId)
      await settings.apply(sessionId, live, view.toSession())
    })
    const { prompt, messageID } = turn.prompted
    const meta = messageID === undefined ? {} : { _meta: { [MESSAGE_ID_MARK]: messageID } }
    await conversations.prompt(sessionId, { prompt, ...meta })
  }
}

/** The agent may still start. The next turn then finds it running. */
async function unlessAborted({ aborted: signal }: RunningTurn, prepare: () => Promise<void>): Promise<void> {
  const stopped = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  await Promise.race([prepare(), stopped])
  if (signal.aborted) throw aborted()
}

export function messageOf(thrown: unknown): string {
  const error = fromAgentError(thrown)
  return error instanceof Error ? error.message : String(error)
}

export function isAbort(error: unknown): boolean {
  return error instanceof RethreadError && error.code === 'stopped'
}

function errorEvent({ id: sessionID }: SessionView, error: unknown): OpenCodeEvent {
  const name = isAbort(error) ? 'MessageAbortedError' : 'UnknownError'
  return { type: 'session.error', properties: { sessionID, error: { name, data: { message: messageOf(error) } } } }
}

function aborted(): RethreadError {
  return new RethreadError({
    code: 'stopped',
    text: 'It was cancelled before it reached the agent.',
    hint: 'Send it again.',
  })
}

function tooMany(): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${MAX_QUEUED_TURNS} messages are already waiting in this session.`,
    hint: 'Wait until the agent has answered, or cancel the turn that runs.',
  })
}
