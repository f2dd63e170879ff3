// Runs the turns of each session one after the other, and publishes their status.
import { RequestError } from '@agentclientprotocol/sdk'
import type { Conversations } from '../../journal/conversations.ts'
import { fromAgentError, promptCancelled } from '../../journal/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { makeMessageError } from '../projection/make-info.ts'
import { MESSAGE_ID_MARK } from '../projection/message-ids.ts'
import type { SessionView } from '../projection/session-view.ts'
import type { Views } from '../projection/views.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { MessageError } from '../shapes/message.ts'
import type { ChosenSettings } from './model-settings.ts'
import { type Prompted, RunningTurn, type TurnAnswer } from './running-turn.ts'

/** Prompts that may wait in one session while a turn runs. */
export const MAX_QUEUED_TURNS = 32

export interface TurnsOptions {
  conversations: Conversations
  views: Views
  settings: ChosenSettings
  publish(view: SessionView, events: readonly OpenCodeEvent[]): void
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

  /** Resolves when the turn has ended or the agent asks something. Throws `busy` where too many wait. */
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
  noteAsked(sessionId: string): void {
    this.#queues.get(sessionId)?.running.answer({ type: 'pending' })
  }

  /** Drops the waiting turns and cancels the running one, whichever client started it. */
  async abort(sessionId: string): Promise<void> {
    const queue = this.#queues.get(sessionId)
    for (const turn of queue?.waiting.splice(0) ?? []) turn.answer({ type: 'failed', error: promptCancelled() })
    queue?.running.abort()
    await this.#options.conversations.cancel(sessionId)
  }

  /** The server stops: no waiting turn is started. */
  stop(): void {
    for (const { running, waiting } of this.#queues.values()) {
      running.abort()
      for (const turn of waiting.splice(0)) turn.answer({ type: 'failed', error: promptCancelled() })
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
    const { prompt, messageID } = turn.prompted
    const meta = messageID === undefined ? {} : { _meta: { [MESSAGE_ID_MARK]: messageID } }
    const params = { prompt, ...meta }
    // In the journal before the agent is started, which may fail or take long.
    const taken = await conversations.takePrompt(sessionId, params)
    try {
      await unlessAborted(turn, async () => {
        const live = await conversations.ensure(sessionId)
        await settings.apply(sessionId, live, view.toSession())
      })
      await conversations.prompt(sessionId, params, { taken })
    } catch (error) {
      await conversations.failPrompt(sessionId, taken, error)
      throw error
    }
  }
}

/** The agent may still start. The next turn then finds it running. */
async function unlessAborted({ aborted: signal }: RunningTurn, prepare: () => Promise<void>): Promise<void> {
  const stopped = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  await Promise.race([prepare(), stopped])
  if (signal.aborted) throw promptCancelled()
}

export function messageOf(thrown: unknown): string {
  const error = fromAgentError(thrown)
  return error instanceof Error ? error.message : String(error)
}

export function isAbort(error: unknown): boolean {
  return error instanceof RethreadError && error.code === 'stopped'
}

function errorEvent(view: SessionView, error: unknown): OpenCodeEvent {
  return { type: 'session.error', properties: { sessionID: view.id, error: describeError(view, error) } }
}

/** What clients show. An error of rethread comes with the command that helps. */
export function describeError(view: SessionView, error: unknown): MessageError {
  if (isAbort(error)) return { name: 'MessageAbortedError', data: { message: messageOf(error) } }
  const message = error instanceof RethreadError ? `${error.message} ${error.hint}` : messageOf(error)
  return makeMessageError(message, codeOf(error), view.toSession().providerID)
}

function codeOf(error: unknown): number | undefined {
  const cause = error instanceof RethreadError ? error.cause : error
  return cause instanceof RequestError ? cause.code : undefined
}

function tooMany(): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${MAX_QUEUED_TURNS} messages are already waiting in this session.`,
    hint: 'Wait until the agent has answered, or cancel the turn that runs.',
  })
}
