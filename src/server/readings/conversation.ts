// One opened conversation: what was read of it, and the reading that is under way.
import type { SpoolFile } from '../../disk/state/spool.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ApiFinding } from '../api.ts'
import { joinEnds } from './ends.ts'
import type { Look } from './follow.ts'
import { hasGrown, isUnchangedSince, lookAt } from './follow.ts'
import { BUSY_AGAIN_MS, TRUST_MS, WASTE_BYTES } from './limits.ts'
import { MessageIndex } from './message-index.ts'
import type { ReadDone, ReadProgress, SpooledCheckpoint } from './orders.ts'
import type { View } from './page.ts'
import { placeFindings } from './places.ts'
import type { ReadingThreads } from './threads.ts'
import { wasStopped } from './threads.ts'

export interface ConversationTools {
  threads: ReadingThreads
  newFile(): SpoolFile
  nextReading(): number
  /** A folder for the end of the file, where it is to be read ahead. */
  tailFolder(session: SessionRef): string | undefined
}

/** What a reading that has ended gave. */
interface Known {
  spool: SpoolFile
  spoolEnd: number
  index: MessageIndex
  reading: number
  done: ReadDone
  findings: ApiFinding[]
  /** What the session was like before anything was read. */
  look: Look
  /** When that was last seen to be so. */
  seenAt: number
}

interface Coming {
  spool: SpoolFile
  index: MessageIndex
  reading: number
  after: SpooledCheckpoint | undefined
  look: Look
  /** Aborted when nobody needs it any more. */
  leaving: AbortController
}

export class Conversation {
  /** How many readings have come to their end. */
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

  /** Whether a reading has come to its end, however long ago. */
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

  /** What there is now. While something is read again, what was known before. */
  get view(): View | undefined {
    const isComplete = this.#coming === undefined
    if (this.#known !== undefined) return { ...this.#known, end: this.#known.done.end, isComplete }
    return this.#coming === undefined ? undefined : { ...this.#coming, findings: [], isComplete }
  }

  /** Begins to read where nothing was read yet, or where the session is another by now. */
  look(session: SessionRef): void {
    this.#throwFailure()
    if (this.#coming !== undefined) return
    const known = this.#known
    if (known === undefined || this.#isDoubted || !isCurrent(known, session)) this.#begin(session, known)
    // The last good reading grows old, however often it is asked for.
    else if (!isBusy(known.done)) known.seenAt = Date.now()
  }

  /** Until `isEnough`, or until there is no time left. Throws what the reading failed with. */
  async wait(isEnough: () => boolean, msLeft: () => number): Promise<void> {
    for (;;) {
      this.#throwFailure()
      const left = msLeft()
      if (isEnough() || left <= 0) return
      await soon(this.#changed.promise, left)
    }
  }

  /** Whatever is known was made from bytes that were changed in place: the next look reads everything again. */
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
    const look = lookAt(session)
    const after = known !== undefined && !this.#isDoubted && canGoOn(known, look) ? known.done.checkpoint : undefined
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
    const coming = { spool, index, reading: this.#tools.nextReading(), after, look, leaving }
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
    const seenAt = Date.now()
    const { spool, look, after } = coming
    const common = { spool, spoolEnd: done.spoolEnd, look, seenAt }
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

function isCurrent({ look, done, seenAt }: Known, session: SessionRef): boolean {
  // While it is locked nobody can see whether there is more: whoever reads is told so, and reading again would give the same.
  if (session.isFromMemory === true) return isBusy(done)
  if (isBusy(done) && Date.now() - seenAt > BUSY_AGAIN_MS) return false
  return isUnchangedSince(look, session)
}

/** Only where it is plain that something was added, and that nobody can have changed what was there before it. */
function canGoOn({ look, seenAt, spoolEnd, index }: Known, now: Look): boolean {
  const isWasteful = spoolEnd > 2 * index.bytes + WASTE_BYTES
  return hasGrown(look, now) && Date.now() - seenAt < TRUST_MS && !isWasteful
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
