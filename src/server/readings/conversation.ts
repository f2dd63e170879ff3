// One opened conversation: what was read of it, and the running reading.
import type { SpoolFile } from '../../disk/state/spool.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ApiFinding } from '../api.ts'
import { joinEnds } from './ends.ts'
import type { SessionState } from './follow.ts'
import { hasGrown, isUnchangedSince, stateOf } from './follow.ts'
import { BUSY_AGAIN_MS, TRUST_MS, WASTE_BYTES } from './limits.ts'
import { MessageIndex } from './message-index.ts'
import type { ReadDone, ReadProgress, SpooledCheckpoint } from './orders.ts'
import type { ConversationView } from './page.ts'
import { placeFindings } from './places.ts'
import type { ReadingThreads } from './threads.ts'
import { wasStopped } from './threads.ts'

export interface ConversationTools {
  threads: ReadingThreads
  newFile(): SpoolFile
  nextReading(): number
  /** A folder for the end of the file, if that is read ahead. */
  tailFolder(session: SessionRef): string | undefined
}

/** The result of a finished reading. */
interface Known {
  spool: SpoolFile
  spoolEnd: number
  index: MessageIndex
  reading: number
  done: ReadDone
  findings: ApiFinding[]
  /** The state of the session before the reading. */
  state: SessionState
  /** When the session was last in this state. */
  checkedAt: number
}

interface Coming {
  spool: SpoolFile
  index: MessageIndex
  reading: number
  after: SpooledCheckpoint | undefined
  state: SessionState
  /** Aborted when no caller needs the reading. */
  leaving: AbortController
}

export class OpenedReading {
  /** The number of finished readings. */
  ended = 0
  readonly #tools: ConversationTools
  readonly #branch: string | undefined
  #known: Known | undefined
  #coming: Coming | undefined
  #tail: { messages: string[]; reading: number } | undefined
  #failure: unknown
  #isDoubted = false
  #changed = Promise.withResolvers<void>()

  constructor(branch: string | undefined, tools: ConversationTools) {
    this.#branch = branch
    this.#tools = tools
  }

  get isReading(): boolean {
    return this.#coming !== undefined
  }

  /** Whether a reading has ever finished. */
  get isKnown(): boolean {
    return this.#known !== undefined
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  get tail(): { messages: string[]; reading: number } | undefined {
    return this.#known === undefined && this.#tail?.messages.length !== 0 ? this.#tail : undefined
  }

  get spoolBytes(): number {
    return (this.#known?.spoolEnd ?? 0) + (this.#coming?.index.bytes ?? 0)
  }

  /** The messages read so far. During another reading, the messages known before. */
  get view(): ConversationView | undefined {
    const isComplete = this.#coming === undefined
    if (this.#known !== undefined) return { ...this.#known, end: this.#known.done.end, isComplete }
    return this.#coming === undefined ? undefined : { ...this.#coming, findings: [], isComplete }
  }

  /** Starts a reading if there was none yet, or if the session has changed. */
  readIfChanged(session: SessionRef): void {
    this.#throwFailure()
    if (this.#coming !== undefined) return
    const known = this.#known
    if (known === undefined || this.#isDoubted || !isCurrent(known, session)) this.#begin(session, known)
    // The age of the last good reading counts, however often it is requested.
    else if (!isBusy(known.done)) known.checkedAt = Date.now()
  }

  /** Waits for `isEnough` or the end of the time. Throws the error of a failed reading. */
  async wait(isEnough: () => boolean, msLeft: () => number): Promise<void> {
    for (;;) {
      this.#throwFailure()
      const left = msLeft()
      if (isEnough() || left <= 0) return
      await soon(this.#changed.promise, left)
    }
  }

  /** The bytes were changed in place: the next request reads everything again. */
  doubt(): void {
    this.#isDoubted = true
  }

  close(reason: unknown = new RethreadError(wasStopped())): void {
    this.#failure ??= reason
    const coming = this.#coming
    this.#coming = undefined
    coming?.leaving.abort(reason)
    coming?.spool.remove()
    this.#known?.spool.remove()
    this.#known = undefined
    this.#wake()
  }

  #begin(session: SessionRef, known: Known | undefined): void {
    const state = stateOf(session)
    const after =
      known !== undefined && !this.#isDoubted && canContinue(known, state) ? known.done.checkpoint : undefined
    this.#isDoubted = false
    const spool = after !== undefined && known !== undefined ? known.spool : this.#tools.newFile()
    const index = new MessageIndex()
    const tailIn = known === undefined && this.#branch === undefined ? this.#tools.tailFolder(session) : undefined
    const order = {
      session,
      spool: { path: spool.path, end: after === undefined ? 0 : (known?.spoolEnd ?? 0) },
      ...(this.#branch === undefined ? {} : { branch: this.#branch }),
      ...(after === undefined ? {} : { after }),
      ...(tailIn === undefined ? {} : { tailIn }),
    }
    const leaving = new AbortController()
    const done = this.#tools.threads.call('read', order, {
      signal: leaving.signal,
      onProgress: step => this.#note(index, step),
    })
    const coming = { spool, index, reading: this.#tools.nextReading(), after, state, leaving }
    this.#coming = coming
    done.then(
      done => this.#finish(coming, done, session),
      error => this.#fail(coming, error),
    )
  }

  #note(index: MessageIndex, step: ReadProgress): void {
    if ('tail' in step) this.#tail = { messages: step.tail, reading: this.#tools.nextReading() }
    else index.add(step.batch)
    this.#wake()
  }

  #finish(coming: Coming, done: ReadDone, session: SessionRef): void {
    if (this.#coming !== coming) return
    this.#coming = undefined
    this.#tail = undefined
    this.ended++
    const before = this.#known
    const checkedAt = Date.now()
    const { spool, state, after } = coming
    const common = { spool, spoolEnd: done.spoolEnd, state, checkedAt }
    if (before !== undefined && after !== undefined && done.end.continued) {
      before.index.merge(coming.index)
      const end = joinEnds(before.done.end, done.end, after.offset)
      const { index, reading } = before
      this.#know({ ...common, index, reading, done: { ...done, end } }, session)
    } else {
      const keepsNumber = before !== undefined && coming.index.carriesOn(before.index)
      const { index } = coming
      this.#know({ ...common, index, reading: keepsNumber ? before.reading : coming.reading, done }, session)
      if (before !== undefined && before.spool !== spool) before.spool.remove()
    }
    this.#wake()
  }

  #know(known: Omit<Known, 'findings'>, session: SessionRef): void {
    this.#known = { ...known, findings: placeFindings(known.done.end.findings, known.index, session.filePath) }
  }

  #fail(coming: Coming, error: unknown): void {
    if (this.#coming === coming) this.close(error)
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  #wake(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
  }
}

function isBusy({ end }: ReadDone): boolean {
  return end.type === 'partial' && end.error.code === 'database-busy'
}

function isCurrent({ state, done, checkedAt }: Known, session: SessionRef): boolean {
  // While the database is locked, more messages cannot be seen. The page says
  // so, and another reading would change nothing.
  if (session.isFromMemory === true) return isBusy(done)
  if (isBusy(done) && Date.now() - checkedAt > BUSY_AGAIN_MS) return false
  return isUnchangedSince(state, session)
}

/** Only if bytes were certainly added and the bytes before them cannot have changed. */
function canContinue({ state, checkedAt, spoolEnd, index }: Known, now: SessionState): boolean {
  const isWasteful = spoolEnd > 2 * index.bytes + WASTE_BYTES
  return hasGrown(state, now) && Date.now() - checkedAt < TRUST_MS && !isWasteful
}

async function soon(change: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await Promise.race([change, promise])
  } finally {
    clearTimeout(timer)
  }
}
