// The ids that clients see. Those of messages, parts and requests are made of the journal alone, so that the same journal gives the same ones.
// OpenCode's own scheme keeps the low 48 bits of a time and began again from zero in 2026-08: nothing here is made or ordered by it.
import { createHash, randomBytes } from 'node:crypto'

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
const COUNTS = 0x10000
const RANDOM_CHARS = 9
/** An id that claims a later time is not ours: following it would leave no room above. The year 2200. */
const LAST_PLAUSIBLE_MS = Date.UTC(2200, 0)
/** The `r` tells it from the ids of other programs, whose digits say something else. */
const OWN_SESSION = /^ses_([0-9a-f]{12})r([0-9a-f]{4})[0-9a-z]{9}$/
/** After the 12 digits of the place. */
const FILLER_CHARS = 14
const PART_FILLER_CHARS = FILLER_CHARS - 2
const MAX_SHORT_INDEX = DIGITS.length ** 2 - 2
const LAST_INDEX = 'zz'

/** Ids of new sessions: each greater than all before it, also when the clock goes back or the process begins again. */
export class SessionIds {
  readonly #now: () => number
  #ms = 0
  #count = 0

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** What was given before: the newest in the journal is enough, any id may be told. */
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

/** How a session of the journal is called on the wire. */
export function toWireId(journalId: string, isGiven = false): string {
  return isGiven || journalId.startsWith('ses') ? journalId : `ses_${journalId}`
}

/** What it may be called in the journal, the likelier first. */
export function fromWireId(id: string): string[] {
  return id.startsWith('ses_') ? [id, id.slice('ses_'.length)] : [id]
}

/** `number`: its place among the messages that began with the same event. */
export function messageId(sessionId: string, seq: number, number = 0): string {
  return `msg_${hex(seq, 12)}${hash(FILLER_CHARS, sessionId, number)}`
}

/** `count`: an agent may answer one message more than once. */
export function answerId(userMessageId: string, count = 1): string {
  return count === 1 ? `${userMessageId}_assistant` : `${userMessageId}_assistant_${count}`
}

/** What tells the parts of a message from those of others that began with the same event. */
export function partMark(sessionId: string, message: string): string {
  return hash(PART_FILLER_CHARS, sessionId, message)
}

/** `first` and `last` of the message stand around whatever the same event brought. Inside one message these ascend. */
export function partId(mark: string, seq: number, place: number | 'first' | 'last'): string {
  return `prt_${hex(seq, 12)}${placeDigits(mark, place)}`
}

/** `key`: connection and number of the request, which no other request has. */
export function permissionId(key: string, seq: number): string {
  return `per_${hex(seq, 12)}${hash(FILLER_CHARS, key)}`
}

export function questionId(key: string, seq: number): string {
  return `que_${hex(seq, 12)}${hash(FILLER_CHARS, key)}`
}

export function todoId(sessionId: string, index: number): string {
  return `todo_${hash(8, sessionId)}_${index}`
}

/** Of a folder: the same on every start. */
export function projectId(directory: string): string {
  return `proj_${hash(20, directory)}`
}

/** For people, in addresses. */
export function slugOf(sessionId: string): string {
  return `session-${hash(10, sessionId)}`
}

/** Of a number on the bus. */
export function eventId(number: number): string {
  return `evt_${hex(number, 14)}`
}

function placeDigits(mark: string, place: number | 'first' | 'last'): string {
  if (place === 'first') return `00${mark}`
  if (place === 'last') return `${LAST_INDEX}${mark}`
  const index = place + 1
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
