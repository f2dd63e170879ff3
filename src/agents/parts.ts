// A large session may be read in parts, each by itself and in any thread. In a log, the reading of a part starts some
// records before it, so that the reader is in the state that these leave. Whether that was enough is known when the part
// before it was read: if not, the part is read again from the true state.
import type { Message } from '../model/message.ts'
import type { ReadingEnd } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'

export interface StoreParts {
  /**
   * Passes over the whole session. Undefined for one that has to be read in one: then the parts that `onPart` got are
   * void. `sizes` are for tests.
   */
  plan(session: SessionRef, sizes?: PartSizes, onPart?: OnPart): PartPlan | undefined
  /**
   * The messages that a reading of the whole session gives while it reads the records of this part. `from` is the true
   * state at the start of the part. Undefined, whatever was given, if the session has to be read in one; without `from`
   * also if the part can only be read in its turn.
   */
  read(
    session: SessionRef,
    plan: PartPlan,
    part: number,
    from?: TrueState,
  ): Generator<Message, PartEnd | undefined, void>
  join(session: SessionRef, plan: PartPlan): PartJoiner
  /** Closes what stays open in this thread while it reads the parts of a plan. */
  close?(plan: PartPlan): void
}

export interface PartSizes {
  part: number
  /** The reader gets its state from so many bytes before a part, and from so many lines at least. */
  warmUp: number
  warmUpLines: number
}

/** Gets each part as soon as it is cut: it can be read before the pass is over. */
export type OnPart = (part: PlannedPart, file: PlannedFile) => void

export interface PlannedFile {
  device: string
  inode: string
  size: number
}

/** Plain data, as everything that goes from one thread to another. */
export interface PartPlan extends PlannedFile {
  /** In the order of the session, without gaps. */
  parts: PlannedPart[]
}

export interface PlannedPart extends PartBounds {
  /** What the store has to know about the session to read this part. */
  known: unknown
}

/** In bytes of the log; in a store of many rows or files in messages. */
export interface PartBounds {
  /** The first of the records from which the reader gets its state. */
  warmUp: number
  start: number
  end: number
}

export interface PartEnd {
  /** The state of the reader at the start and at the end of the part. */
  before: string
  after: string
  /** What the store has collected in this part. */
  collected: unknown
}

/** Puts together what the parts say of the session. */
export interface PartJoiner {
  /** Whether this is what a reading of the whole session gives, after the parts that were added. */
  accepts(end: PartEnd): boolean
  /** The part must have been accepted, or read from the true state. False if the session has to be read in one. */
  add(end: PartEnd): boolean
  state(): TrueState
  end(): ReadingEnd
  close(): void
}

/** Stays in its thread. */
export interface TrueState {
  /** Undefined before the first part. */
  state: string | undefined
  /** What was met anywhere before. */
  met: unknown
}
