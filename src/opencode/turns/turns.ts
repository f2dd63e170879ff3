// Runs the turns of each session one after the other, and publishes their status. Each prompt
// is in the journal before its client gets an answer, and stays there until it was sent:
// through a cancelled turn, and through a crash.
import { RequestError } from '@agentclientprotocol/sdk'
import { fromAgentError } from '../../journal/agent-errors.ts'
import type { Conversations } from '../../journal/conversations.ts'
import { promptCancelled } from '../../journal/errors.ts'
import { readQueued } from '../../journal/queue.ts'
import { describePreparing } from '../../journal/restore/preparing.ts'
import { QUEUED_MARK } from '../../journal/store/notes.ts'
import { RethreadError } from '../../model/errors.ts'
import { makeMessageError } from '../projection/make-info.ts'
import { MESSAGE_ID_MARK } from '../projection/message-ids.ts'
import type { SessionView } from '../projection/session-view.ts'
import type { Views } from '../projection/views.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import type { MessageError } from '../shapes/message.ts'
import type { ChosenSettings } from './model-settings.ts'
import { fitPrompt } from './prompt-parts.ts'
import { type Prompted, RunningTurn, type TurnAnswer, type TurnEnd } from './running-turn.ts'

/** Prompts that may wait in one session while a turn runs. */
export const MAX_QUEUED_TURNS = 32
const SHOW_EVERY_MS = 3000

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

  /**
   * Resolves when the prompt is in the journal. `end` resolves when its turn has ended, or where
   * `answersEarly` when the agent asks something. Prompts that an earlier turn left behind are sent first.
   * Throws `busy` where too many wait. The caller holds the lock of the session.
   */
  async start(sessionId: string, prompted: Prompted): Promise<{ end: Promise<TurnAnswer> }> {
    const { conversations, views } = this.#options
    if ((this.#queues.get(sessionId)?.waiting.length ?? 0) >= MAX_QUEUED_TURNS) throw tooMany()
    const { prompt, messageID: messageId } = prompted
    const key = await conversations.queue(sessionId, {
      prompt: [...prompt],
      ...(messageId === undefined ? {} : { messageId }),
    })
    const waiting = (await views.get(sessionId)).queued()
    const own = waiting.find(queued => queued.key === key)
    if (own === undefined) throw notQueued()
    const turn = new RunningTurn({ key, userId: own.messageID, prompted })
    const queue = this.#queues.get(sessionId)
    if (queue === undefined) {
      const left = waiting.filter(queued => queued !== own)
      const turns = [...left.map(({ key, messageID }) => new RunningTurn({ key, userId: messageID })), turn]
      this.#begin(sessionId, turns)
    } else queue.waiting.push(turn)
    return { end: turn.answered }
  }

  #begin(sessionId: string, [running, ...waiting]: RunningTurn[]): void {
    if (running === undefined) return
    const queue: TurnQueue = { running, waiting }
    this.#queues.set(sessionId, queue)
    void this.#runAll(sessionId, queue)
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

  /** Cancels the running turn, whichever client started it. Those that wait stay in the journal. */
  async abort(sessionId: string): Promise<void> {
    const queue = this.#queues.get(sessionId)
    for (const turn of queue?.waiting.splice(0) ?? []) turn.answer({ type: 'failed', error: stillQueued() })
    queue?.running.abort()
    await this.#options.conversations.cancel(sessionId)
  }

  /** The server stops: no waiting turn is started. */
  stop(): void {
    for (const { running, waiting } of this.#queues.values()) {
      running.leave()
      for (const turn of waiting.splice(0)) turn.answer({ type: 'failed', error: stillQueued() })
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
      await this.#noteUnsent(sessionId, turn, end)
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

  /**
   * A prompt that did not reach the agent is over, with the reason. One that the server leaves is sent later.
   */
  async #noteUnsent(sessionId: string, turn: RunningTurn, end: TurnEnd): Promise<void> {
    const { conversations, views } = this.#options
    const { key } = turn.queued
    const isQueued = (await views.get(sessionId)).queued().some(queued => queued.key === key)
    if (!isQueued || turn.isLeft) return
    await conversations.refuse(sessionId, key, end.type === 'failed' ? end.error : promptCancelled())
  }

  async #prompt(sessionId: string, turn: RunningTurn): Promise<void> {
    const { conversations, views, settings, publish } = this.#options
    const view = await views.get(sessionId)
    publish(view, turn.begin(view))
    const { key } = turn.queued
    const { prompt: said, messageID } = turn.queued.prompted ?? (await this.#readPrompted(sessionId, turn))
    const stopShowing = this.#showPreparing(sessionId, view)
    const prompt = await unlessAborted(turn, async () => {
      const live = await conversations.ensure(sessionId)
      const { agent, capabilities } = live.connection
      await settings.apply(sessionId, live, view.toSession())
      return fitPrompt(said, { title: agent.title, capabilities: capabilities.prompt })
    }).finally(stopShowing)
    const named = messageID === undefined ? {} : { [MESSAGE_ID_MARK]: messageID }
    await conversations.prompt(sessionId, { prompt, _meta: { [QUEUED_MARK]: key, ...named } })
  }

  /** An agent may take a minute to start. Clients show what is done meanwhile. */
  #showPreparing(sessionId: string, view: SessionView): () => void {
    const { conversations, publish } = this.#options
    const timer = setInterval(() => {
      const step = conversations.preparing.get(sessionId)
      if (step === undefined) return
      const message = describePreparing(step, Date.now())
      publish(view, [{ type: 'tui.toast.show', properties: { message, variant: 'info', duration: SHOW_EVERY_MS } }])
    }, SHOW_EVERY_MS)
    return () => clearInterval(timer)
  }

  async #readPrompted(sessionId: string, { queued: { key } }: RunningTurn): Promise<Prompted> {
    const { conversations, views } = this.#options
    const queued = (await views.get(sessionId)).queued().find(one => one.key === key)
    const read = queued === undefined ? undefined : await readQueued(conversations.store, sessionId, queued.seq)
    if (read === undefined) throw notQueued()
    return { prompt: read.prompt, messageID: read.messageId }
  }
}

/** The agent may still start. The next turn then finds it running. */
async function unlessAborted<T>({ aborted: signal }: RunningTurn, prepare: () => Promise<T>): Promise<T> {
  const stopped = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(promptCancelled()), { once: true }),
  )
  const prepared = await Promise.race([prepare(), stopped])
  if (signal.aborted) throw promptCancelled()
  return prepared
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

function stillQueued(): RethreadError {
  return new RethreadError({
    code: 'stopped',
    text: 'The turn before it was cancelled. The message waits in the session.',
    hint: 'The next message sends it first.',
  })
}

function notQueued(): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: 'The message was written to the journal and cannot be read from it.',
    hint: 'Check the journal: rethread check journal',
  })
}

function tooMany(): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${MAX_QUEUED_TURNS} messages are already waiting in this session.`,
    hint: 'Wait until the agent has answered, or cancel the turn that runs.',
  })
}
