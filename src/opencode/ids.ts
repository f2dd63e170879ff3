// The ids that clients see. Ids of messages, parts and requests follow from the journal alone, so the same
// journal gives the same ids. OpenCode's own ids keep only the low 48 bits of a time, which wrapped in
// 2026-08, so nothing here depends on them.
import { createHash, randomBytes } from 'node:crypto'

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
const COUNTS = 0x10000
const RANDOM_CHARS = 9
/** An id with a later time (the year 2200) is not rethread's. Following it would leave no room above. */
const LAST_PLAUSIBLE_MS = Date.UTC(2200, 0)
/** The `r` distinguishes the id from those of other programs. */
const OWN_SESSION = /^ses_([0-9a-f]{12})r([0-9a-f]{4})[0-9a-z]{9}$/
/** Characters after the 12 digits of the seq. */
const FILLER_CHARS = 14
const PART_FILLER_CHARS = FILLER_CHARS - 2
const MAX_SHORT_INDEX = DIGITS.length ** 2 - 2
const LAST_INDEX = 'zz'

/**
 * Ids of new sessions. Each is greater than all earlier ones, even if the clock goes back or the process
 * restarts.
 */
export class SessionIds {
  readonly #now: () => number
  #ms = 0
  #count = 0

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Continues after an existing id. Any id may be passed; the newest of the journal is enough. */
  startAfter(id: string): void {
    const [, ms = '', count = ''] = OWN_SESSION.exec(id) ?? []
    const [at, number] = [Number.parseInt(ms, 16), Number.parseInt(count, 16)]
    if (Number.isNaN(at) || at > LAST_PLAUSIBLE_MS) return
    if (at > this.#ms || (at === this.#ms && number > this.#count)) [this.#ms, this.#count] = [at, number]
  }

  next(): string {
    const now = this.#now()
    if (now > this.#ms) [this.#ms, this.#count] = [now, 0]
    else if (++this.#count === COUNTS) [this.#ms, this.#count] = [this.#ms + 1, 0]
    return `ses_${hex(this.#ms, 12)}r${hex(this.#count, 4)}${digitsOf(randomBytes(RANDOM_CHARS))}`
  }
}

/** The id of a journal session on the wire. */
export function toWireId(journalId: string, isGiven = false): string {
  return isGiven || journalId.startsWith('ses') ? journalId : `ses_${journalId}`
}

/** The possible ids in the journal, the more likely first. */
export function fromWireId(id: string): string[] {
  return id.startsWith('ses_') ? [id, id.slice('ses_'.length)] : [id]
}

/** `number`: its index among the messages of the same event. */
export function messageId(sessionId: string, seq: number, number = 0): string {
  return `msg_${hex(seq, 12)}${hash(FILLER_CHARS, sessionId, number)}`
}

/** `count`: an agent may answer one message more than once. */
export function answerId(userMessageId: string, count = 1): string {
  return count === 1 ? `${userMessageId}_assistant` : `${userMessageId}_assistant_${count}`
}

/** Distinguishes the parts of a message from those of other messages of the same event. */
export function partMark(sessionId: string, message: string): string {
  return hash(PART_FILLER_CHARS, sessionId, message)
}

/** `first` and `last` sort around all parts of the same event. Part ids ascend inside one message. */
export function partId(mark: string, seq: number, position: number | 'first' | 'last'): string {
  return `prt_${hex(seq, 12)}${positionDigits(mark, position)}`
}

/** `key`: the connection and the number of the request. */
export function permissionId(key: string, seq: number): string {
  return `per_${hex(seq, 12)}${hash(FILLER_CHARS, key)}`
}

export function questionId(key: string, seq: number): string {
  return `que_${hex(seq, 12)}${hash(FILLER_CHARS, key)}`
}

export function todoId(sessionId: string, index: number): string {
  return `todo_${hash(8, sessionId)}_${index}`
}

/** The same for a folder on every start. */
export function projectId(directory: string): string {
  return `proj_${hash(20, directory)}`
}

/** For addresses that people see. */
export function slugOf(sessionId: string): string {
  return `session-${hash(10, sessionId)}`
}

/** `number`: the position on the bus. */
export function eventId(number: number): string {
  return `evt_${hex(number, 14)}`
}

function positionDigits(mark: string, position: number | 'first' | 'last'): string {
  if (position === 'first') return `00${mark}`
  if (position === 'last') return `${LAST_INDEX}${mark}`
  const index = position + 1
  if (index > MAX_SHORT_INDEX) return `${LAST_INDEX}${hex(index, PART_FILLER_CHARS)}`
  return `${DIGITS.charAt(Math.floor(index / DIGITS.length))}${DIGITS.charAt(index % DIGITS.length)}${mark}`
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0')
}

function hash(length: number, ...parts: readonly (string | number)[]): string {
  return digitsOf(createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, length))
}

function digitsOf(bytes: Buffer): string {
  return Array.from(bytes, byte => DIGITS.charAt(byte % DIGITS.length)).join('')
}
