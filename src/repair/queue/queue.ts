// The one queue of checks and repairs, by priority. A check repairs what the policy allows. A requested
// repair takes its turn among the checks. No session is processed twice at once.
import { setImmediate as nextTurn } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Origin } from '../verdicts/origin.ts'
import { isCheckedOnDisk, isUnchanged, originOf, sessionKey } from '../verdicts/origin.ts'
import type { Job, Priority } from './job.ts'
import { awaitVerdict, makeJob, RANK, raise, rejectWaiters, renew, resolveWaiters, wasStopped } from './job.ts'
import type { QueueEvents, QueueListener } from './queue-events.ts'
import { asError, QueueListeners } from './queue-events.ts'
import type { JobHandlers, JobOutcome, RepairPolicy } from './queue-policy.ts'
import { repair, verdictFor, wantsRepair } from './queue-policy.ts'

export interface RepairQueueOptions extends JobHandlers {
  /** Concurrent checks. */
  concurrency: number
  /** Concurrent repairs; as many as checks by default. Repairs of one file never run at once. */
  repairsAtOnce?: number
  policy?: RepairPolicy
  /** Set if a check reads more than the file of the session. */
  origin?(session: SessionRef): Origin | Promise<Origin>
}

/** After this long the queue yields to other tasks, because cached verdicts never wait. */
const TURN_MS = 15

export class SessionRepairQueue {
  readonly #options: RepairQueueOptions
  readonly #queue: PQueue
  readonly #jobs = new Map<string, Job>()
  readonly #running = new Set<Job>()
  readonly #listeners = new QueueListeners()
  readonly #abort = new AbortController()
  readonly #repairs: PQueue
  /** The last repair of each file: sessions in one database are repaired one after the other. */
  readonly #lastRepairs = new Map<string, Promise<unknown>>()
  #isStopped = false
  #done = 0
  #turnStarted = performance.now()

  /** Nothing is processed before `start`. */
  constructor(options: RepairQueueOptions) {
    this.#options = options
    this.#queue = new PQueue({ concurrency: options.concurrency, autoStart: false })
    this.#repairs = new PQueue({ concurrency: options.repairsAtOnce ?? options.concurrency })
  }

  /** The number of waiting sessions. */
  get size(): number {
    return this.#queue.size + [...this.#running].filter(job => job.next !== undefined).length
  }

  /** The number of sessions that are processed now. */
  get pending(): number {
    return this.#running.size
  }

  /** The number of processed sessions, failures included. */
  get done(): number {
    return this.#done
  }

  /** Returns a function that removes the listener. */
  on<Name extends keyof QueueEvents>(name: Name, listener: QueueListener<Name>): () => void {
    return this.#listeners.on(name, listener)
  }

  /** A waiting session can only become more urgent. After `stop` the queue accepts nothing. */
  enqueue(items: readonly { session: SessionRef; priority: Priority }[]): void {
    if (this.#isStopped) return
    // The first one may start at once, so it must be the most urgent.
    const sorted = items.toSorted((a, b) => RANK[b.priority] - RANK[a.priority])
    for (const { session, priority } of sorted) this.#request(session, priority, false)
  }

  /** The verdict on the state of the session at this call or later; after the repair, if there is one. */
  async waitFor(session: SessionRef, options: { timeout: number; priority?: Priority }): Promise<Verdict> {
    if (this.#isStopped) throw wasStopped(session)
    return await awaitVerdict(this.#request(session, options.priority ?? 'active', true), options.timeout)
  }

  /** Runs a requested repair or undo. Once accepted it runs, even after `stop`. */
  async repair<Result>(session: SessionRef, priority: Priority, step: () => Promise<Result>): Promise<Result> {
    if (this.#isStopped) throw wasStopped(session)
    return await this.#inTurn(session.filePath, priority, step)
  }

  start(): void {
    if (!this.#isStopped) this.#queue.start()
  }

  /** Running jobs continue. */
  pause(): void {
    this.#queue.pause()
  }

  /** Settles when no job waits or runs. */
  async idle(): Promise<void> {
    await Promise.all([this.#queue.onIdle(), this.#repairs.onIdle()])
  }

  /**
   * Stops for good: drops waiting jobs and waits for running
   * ones. If urgent, aborts checks but never repairs.
   */
  async stop({ isUrgent = false } = {}): Promise<void> {
    this.#isStopped = true
    this.#queue.pause()
    this.#queue.clear()
    for (const job of this.#jobs.values()) if (!this.#running.has(job)) this.#drop(job)
    for (const job of this.#running) if (job.next !== undefined) rejectWaiters(job.next, wasStopped(job.session))
    for (const job of this.#running) delete job.next
    if (isUrgent) this.#abort.abort()
    await this.idle()
  }

  /** The job whose verdict is new enough for the caller. */
  #request(session: SessionRef, priority: Priority, isAwaited: boolean): Job {
    const known = this.#jobs.get(sessionKey(session))
    if (known === undefined) return this.#add({ ...makeJob(session, priority), isAwaited })
    if (known.origin !== undefined && !isGoodEnough(known.origin, session, isAwaited))
      known.next ??= makeJob(session, priority)
    const job = known.next ?? known
    renew(job, session)
    job.isAwaited ||= isAwaited
    const isRaised = raise(job, priority)
    if (isRaised && job === known && !this.#running.has(job)) this.#queue.setPriority(job.key, RANK[priority])
    return job
  }

  #add(job: Job): Job {
    this.#jobs.set(job.key, job)
    void this.#queue.add(() => this.#process(job), { id: job.key, priority: RANK[job.priority] })
    return job
  }

  async #process(job: Job): Promise<void> {
    this.#running.add(job)
    try {
      await this.#shareTurn()
      const origin = await (this.#options.origin ?? originOf)(job.session)
      job.origin = origin
      const verdict = await verdictFor(this.#options, job, origin, this.#abort.signal)
      this.#listeners.notify(job.session, 'scanned', verdict)
      // Decided only now, because the session may have become more urgent during the check.
      if (wantsRepair(this.#options.policy ?? 'on-resume', job.priority, verdict)) await this.#repair(job, verdict)
      else this.#finish(job, () => resolveWaiters(job, verdict))
    } catch (error) {
      this.#fail(job, asError(error))
    }
  }

  async #repair(job: Job, before: Verdict): Promise<void> {
    const { session } = job
    const outcome = await this.#inTurn(session.filePath, job.priority, () => this.#repairUnlessStopped(session, before))
    if (outcome === 'stopped') {
      this.#drop(job)
      return
    }
    this.#finish(job, () => resolveWaiters(job, outcome.verdict))
    if ('error' in outcome) this.#listeners.notify(session, 'error', session, outcome.error)
    else if (outcome.report.status !== 'repaired') this.#listeners.notify(session, 'scanned', outcome.verdict)
    else this.#listeners.notify(session, 'repaired', outcome.report, outcome.verdict)
  }

  /** A queue that is stopping starts no repair. */
  async #repairUnlessStopped(session: SessionRef, before: Verdict): Promise<JobOutcome | 'stopped'> {
    return this.#isStopped ? 'stopped' : await repair(this.#options, session, before)
  }

  async #inTurn<T>(file: string, priority: Priority, step: () => Promise<T>): Promise<T> {
    return await this.#repairs.add(() => this.#afterOthersOf(file, step), { priority: RANK[priority] })
  }

  async #afterOthersOf<T>(file: string, step: () => Promise<T>): Promise<T> {
    const before = this.#lastRepairs.get(file) ?? Promise.resolve()
    const mine = before.then(step, step)
    this.#lastRepairs.set(file, mine)
    try {
      return await mine
    } finally {
      if (this.#lastRepairs.get(file) === mine) this.#lastRepairs.delete(file)
    }
  }

  #fail(job: Job, error: Error): void {
    const wasAborted = this.#abort.signal.aborted
    this.#finish(job, () => rejectWaiters(job, wasAborted ? wasStopped(job.session) : error))
    if (!wasAborted) this.#listeners.notify(job.session, 'error', job.session, error)
  }

  #drop(job: Job): void {
    this.#finish(job, () => rejectWaiters(job, wasStopped(job.session)))
  }

  /** From here on a request, also one of a listener, starts a new job. */
  #finish(job: Job, settle: () => void): void {
    if (this.#running.delete(job)) this.#done++
    if (this.#jobs.get(job.key) === job) this.#jobs.delete(job.key)
    settle()
    if (job.next !== undefined) this.#add(job.next)
  }

  async #shareTurn(): Promise<void> {
    if (performance.now() - this.#turnStarted <= TURN_MS) return
    await nextTurn()
    this.#turnStarted = performance.now()
  }
}

/** Whether the job still covers the session. A caller that waits needs a check of the files. */
function isGoodEnough(origin: Origin, session: SessionRef, isAwaited: boolean): boolean {
  return isUnchanged(origin, session) && (isCheckedOnDisk(origin) || !isAwaited)
}
