// Joins the clients that wait for the same session, and starts the terminal when the session is ready.
import type { Agent } from '../../agents/agent.ts'
import { agentById } from '../../catalog/context.ts'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { MAX_WAITING_RESUMES, SLOW_CHECK_MS } from '../limits.ts'
import type { ClientMessageOf, TerminalInfo } from '../protocol.ts'
import type { ServedSession } from '../sessions/index.ts'
import { whenKnown } from '../sessions/when-known.ts'
import type { Ready } from './attempt.ts'
import { Attempt } from './attempt.ts'
import type { Gate, GateClient, GateOptions } from './index.ts'
import { outcomeOf } from './outcome.ts'
import type { WantedFolder } from './programs.ts'
import { commandFor, makeFolderOf, planPlain, planResume, planWithoutSession } from './programs.ts'
import type { ResumeNotice } from './texts.ts'
import { gateError, notResumed, searching } from './texts.ts'
import type { GateWaiter } from './waiters.ts'
import { Waiters } from './waiters.ts'

type Create = ClientMessageOf<'terminal.create'>

export class ResumeGate implements Gate {
  readonly #options: GateOptions
  /** By the key of the session. Two requests for one session share one attempt. */
  readonly #attempts = new Map<string, Attempt>()
  /** Requests for sessions that the scan may still find. */
  readonly #searches = new Set<Waiters>()
  readonly #held: HeldSessions
  #isStopped = false

  constructor(options: GateOptions) {
    this.#options = options
    this.#held = new HeldSessions(options)
  }

  create(request: Create, client: GateClient): void {
    const { requestId, cols, rows } = request
    this.#answer(requestId, client, () => this.#create(request, { client, requestId, cols, rows }))
  }

  choose({ requestId, choice }: ClientMessageOf<'terminal.choose'>, client: GateClient): void {
    this.#answer(requestId, client, () => {
      const { waiter, waiters, attempt } = this.#find(requestId, client)
      if (choice === 'cancel') {
        waiters.leave(waiter)
        throw refusal('stopped', 'Nothing was started.', 'Resume it again at any time.')
      }
      if (attempt?.decide(choice) !== true)
        throw refusal('usage', 'This choice is not available right now.', 'Wait for the next message of the server.')
    })
  }

  leave(client: GateClient): void {
    for (const waiters of this.#everybody())
      for (const waiter of [...waiters]) if (waiter.client === client) waiters.leave(waiter)
  }

  stop(): void {
    this.#isStopped = true
    for (const waiters of this.#everybody()) {
      waiters.fail(isStopping())
      for (const waiter of [...waiters]) waiters.leave(waiter)
    }
  }

  #create(request: Create, waiter: GateWaiter): void {
    this.#refuseTooMany(waiter)
    if (request.resumeSessionId === undefined) {
      this.#startPlain(request, waiter)
      return
    }
    const { sessions } = this.#options
    const served = sessions.find(request.resumeSessionId)
    if (served !== undefined) this.#join(served, request, waiter)
    else if (sessions.progress.phase === 'finding') this.#search(request, waiter)
    else this.#startMissing(request, waiter)
  }

  /** Uses the terminal that already runs the session, the attempt in progress, or a new attempt. */
  #join(served: ServedSession, request: Create, waiter: GateWaiter): void {
    const { context, terminals } = this.#options
    const agent = agentById(context, served.session.agent)
    if (request.agent !== undefined && request.agent !== agent.id)
      throw refusal('usage', `This session belongs to ${agent.title}.`, 'Specify the agent it belongs to, or none.')
    const running = terminals.ofSession(served.key)
    if (running !== undefined) {
      finishOne(waiter, running, true)
      return
    }
    const attempt = this.#attempts.get(served.key) ?? this.#begin(served, agent, request)
    attempt.waiters.add(waiter)
  }

  #begin(served: ServedSession, agent: Agent, wanted: WantedFolder): Attempt {
    // Throws at once if the agent cannot resume the session at all.
    commandFor(agent, served)
    const { sessions, checks, slowCheckMs = SLOW_CHECK_MS, maxQuietWaitMs } = this.#options
    const wait = maxQuietWaitMs === undefined ? {} : { maxQuietWaitMs }
    const attempt = new Attempt({ sessions, checks, served, title: agent.title, slowCheckMs, ...wait })
    this.#attempts.set(served.key, attempt)
    attempt.waiters.signal.addEventListener('abort', () => this.#forget(served.key, attempt))
    void this.#run(attempt, served, agent, wanted)
    return attempt
  }

  async #run(attempt: Attempt, served: ServedSession, agent: Agent, wanted: WantedFolder): Promise<void> {
    try {
      const ready = await attempt.makeReady()
      if (attempt.waiters.isEmpty) ready.release()
      else this.#start(attempt.waiters, ready, served, agent, wanted)
    } catch (error) {
      attempt.waiters.fail(error)
    } finally {
      this.#forget(served.key, attempt)
    }
  }

  /** Must not await anything, so that the session is still in the checked state when the agent starts. */
  #start(waiters: Waiters, ready: Ready, served: ServedSession, agent: Agent, wanted: WantedFolder): void {
    const { context, sessions, terminals } = this.#options
    // The folder of the session may be known by now.
    const current = sessions.get(served.key) ?? served
    try {
      const { isResumed, notice } = outcomeOf(ready, current.row, agent.title)
      const plan = isResumed
        ? planResume(context, agent, current, wanted)
        : planWithoutSession(context, agent, [current.session.project, current.row.project])
      if (isResumed) makeFolderOf(plan, wanted)
      const terminal = terminals.create({ ...plan, ...waiters.size })
      if (isResumed) this.#held.add(terminal, served.key, ready.release)
      else ready.release()
      waiters.finish(terminal, notice)
    } catch (error) {
      ready.release()
      throw error
    }
  }

  #startPlain(request: Create, waiter: GateWaiter): void {
    const { context, terminals } = this.#options
    const agent = request.agent === undefined ? undefined : agentById(context, request.agent)
    const { cols, rows } = waiter
    finishOne(waiter, terminals.create({ ...planPlain(context, agent, request.cwd), cols, rows }), false)
  }

  /**
   * An open page may request a session that is gone. The agent is the one that the client names, or the last
   * known.
   */
  #startMissing(request: Create, waiter: GateWaiter): void {
    const { context, sessions, terminals } = this.#options
    const last = sessions.gone(request.resumeSessionId ?? '')
    const id = request.agent ?? last?.agent
    if (id === undefined)
      throw refusal('session-not-found', `There is no session ${request.resumeSessionId}.`, 'See all: rethread list')
    const agent = agentById(context, id)
    const { cols, rows } = waiter
    const terminal = terminals.create({
      ...planWithoutSession(context, agent, [request.cwd, last?.project]),
      cols,
      rows,
    })
    finishOne(waiter, terminal, false, notResumed('missing', agent.title))
  }

  #search(request: Create, waiter: GateWaiter): void {
    const waiters = new Waiters()
    this.#searches.add(waiters)
    waiters.signal.addEventListener('abort', () => this.#searches.delete(waiters))
    waiters.add(waiter)
    waiters.notify(searching())
    whenKnown(this.#options.sessions, request.resumeSessionId ?? '', waiters.signal, () => {
      this.#searches.delete(waiters)
      this.create(request, waiter.client)
    })
  }

  #refuseTooMany({ client, requestId }: GateWaiter): void {
    if (this.#isStopped) throw isStopping()
    const waiting = this.#everybody().flatMap(waiters => [...waiters])
    if (waiting.some(other => other.client === client && other.requestId === requestId))
      throw refusal('usage', `The request ${requestId} is already in progress.`, 'Use a different id for each request.')
    if (waiting.length >= MAX_WAITING_RESUMES)
      throw refusal(
        'busy',
        `${waiting.length} conversations are already waiting to be resumed.`,
        'Try again in a moment.',
      )
  }

  #find(requestId: string, client: GateClient): { waiter: GateWaiter; waiters: Waiters; attempt?: Attempt } {
    const places = [
      ...[...this.#attempts.values()].map(attempt => ({ waiters: attempt.waiters, attempt })),
      ...[...this.#searches].map(waiters => ({ waiters })),
    ]
    for (const place of places)
      for (const waiter of place.waiters)
        if (waiter.client === client && waiter.requestId === requestId) return { ...place, waiter }
    throw refusal('usage', 'This request is no longer waiting for an answer.', 'List the terminals.')
  }

  #everybody(): Waiters[] {
    return [...this.#searches, ...[...this.#attempts.values()].map(attempt => attempt.waiters)]
  }

  #forget(key: string, attempt: Attempt): void {
    if (this.#attempts.get(key) === attempt) this.#attempts.delete(key)
  }

  #answer(requestId: string, client: GateClient, step: () => void): void {
    try {
      step()
    } catch (error) {
      client.send(gateError(error, requestId))
    }
  }
}

function finishOne(
  { client, requestId }: GateWaiter,
  terminal: TerminalInfo,
  isExisting: boolean,
  notice: ResumeNotice | null = null,
): void {
  client.send({ type: 'terminal.created', requestId, terminal, isExisting, notice })
}

function isStopping(): RethreadError {
  return refusal('stopped', 'The server is stopping.', 'Start it again: rethread serve')
}

function refusal(code: ErrorCode, text: string, hint: string): RethreadError {
  return new RethreadError({ code, text, hint })
}

export class HeldSessions {
  readonly #sessions: Pick<GateOptions['sessions'], 'setTerminal'>
  /** By terminal id. */
  readonly #held = new Map<string, { key: string; release(): void }>()

  constructor({ sessions, terminals }: Pick<GateOptions, 'sessions' | 'terminals'>) {
    this.#sessions = sessions
    terminals.on('exit', terminal => this.#release(terminal))
  }

  add({ terminalId }: TerminalInfo, key: string, release: () => void): void {
    this.#held.set(terminalId, { key, release })
    this.#sessions.setTerminal(key, terminalId)
  }

  #release({ terminalId }: TerminalInfo): void {
    const held = this.#held.get(terminalId)
    if (held === undefined) return
    this.#held.delete(terminalId)
    held.release()
    this.#sessions.setTerminal(held.key, undefined)
  }
}
