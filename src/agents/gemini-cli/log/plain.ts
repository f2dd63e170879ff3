// Most logs only add messages and write them again: they hold no rewind and no list. Such a log is parsed once, and
// each message is given when its last record was read.
import type { Span } from '../../../bytes/json.ts'
import type { Field } from '../../../bytes/scanner/fields.ts'
import type { Findings } from '../../../model/finding.ts'
import type { FilePlace, Message } from '../../../model/message.ts'
import type { RecordCounts } from '../../../model/reading.ts'
import type { LogRecord, RecordLog } from '../../stores/json-lines.ts'
import { isWorthProving, proveLines, slotOf } from '../../stores/prove-lines.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import { type FactNotes, noteMessage, noteMetadata, notePrompt } from '../facts.ts'
import { type Interpreted, interpret, messageOf, resultIds, withoutRepeats } from '../messages.ts'
import { changeOf } from './changes.ts'
import { changedWhileReading, Fetcher } from './fetch.ts'

/** Messages wait for one before them whose last record is still to come. Beyond this many bytes, they are read again. */
const MAX_HELD_BYTES = 4 * 1024 * 1024

const FIELDS: Field = {
  fields: {
    id: { leaf: 'id' },
    $rewindTo: { leaf: 'whole' },
    messages: { leaf: 'whole' },
    $set: { fields: { messages: { leaf: 'whole' } } },
  },
}

/** Gets the bounds of each line, and the start of the record that it replaces, if any. */
export type OnLine = (line: Span, replaced: number | undefined) => void

/** The starts of records that a later one replaces. Undefined for a log that is not plain. */
export function findSuperseded(
  log: Pick<RecordLog, 'file' | 'continued'>,
  onLine: OnLine = () => {},
  isWorth = isWorthProving,
): Set<number> | undefined {
  // Otherwise the log is parsed twice.
  if (log.continued || !isWorth(log.file.identity.size)) return undefined
  const last = new Map<string, number>()
  const superseded = new Set<number>()
  const isPlain = proveLines(log.file, FIELDS, line => {
    const slot = slotOf(line.shape['id'])
    const id = slot === undefined ? undefined : line.text(slot)
    const before = id === undefined ? undefined : last.get(id)
    onLine(line, before)
    if (id === undefined) return !('id' in line.shape)
    if (before !== undefined) superseded.add(before)
    last.set(id, line.start)
    return true
  })
  return isPlain ? superseded : undefined
}

/** Whether a record is in the log a second time. */
export interface CopyCheck {
  has(record: LogRecord): boolean
}

interface Waiting {
  id: string
  /** The first time of a message, as in a log that is not plain. */
  time: unknown
  at: FilePlace
  isMessage: boolean
  /** Whether no later record writes it again. */
  isLast: boolean
  /** Undefined if it has to be read again. */
  interpreted: Interpreted | undefined
}

/** What is met while the records are read. */
export interface MetInLog {
  copies: CopyCheck
  /** Which message gives a result that several hold: the one that held it first. */
  owners: Map<string, string>
}

export interface Noted {
  notes: FactNotes
  findings: Findings
  counts: RecordCounts
}

export class PlainLog {
  readonly #superseded: ReadonlySet<number>
  readonly #fetcher: Fetcher
  #noted: Noted
  readonly #copies: CopyCheck
  /** In the order of the conversation: messages by their id, other records by their place. */
  readonly #waiting = new Map<string | number, Waiting>()
  #heldBytes = 0
  readonly #owners: Map<string, string>
  #recent: string[] = []
  last: FilePlace | undefined

  constructor(log: Pick<RecordLog, 'file'>, superseded: ReadonlySet<number>, noted: Noted, met: MetInLog) {
    this.#superseded = superseded
    this.#noted = noted
    this.#fetcher = new Fetcher(log, noted.findings)
    this.#copies = met.copies
    this.#owners = met.owners
  }

  /** Takes a record, and gives the messages that no later record changes. */
  add(record: LogRecord): readonly Message[] {
    this.#take(record)
    return this.#giveAll(false)
  }

  finish(): readonly Message[] {
    return this.#giveAll(true)
  }

  /** In their order. With `isEnd`, also those that wait for a later record. */
  #giveAll(isEnd: boolean): readonly Message[] {
    const given: Message[] = []
    for (const [key, waiting] of this.#waiting) {
      if (!(isEnd || waiting.isLast)) break
      const message = this.#give(key, waiting)
      if (message !== undefined) given.push(message)
    }
    return given
  }

  /** The messages that wait, as text. */
  get state(): string {
    return JSON.stringify([...this.#waiting])
  }

  restore(state: string): void {
    for (const [key, waiting] of JSON.parse(state) as [string | number, Waiting][]) {
      this.#waiting.set(key, waiting)
      if (waiting.interpreted !== undefined) this.#heldBytes += waiting.at.end - waiting.at.start
    }
  }

  /** Notes from here on go elsewhere. */
  noteIn(noted: Pick<Noted, 'notes' | 'counts'>): void {
    this.#noted = { ...this.#noted, ...noted }
  }

  /** The last few ids and owners, for a reading that continues from here. */
  recent(count: number): { known: string[]; owners: [string, string][] } {
    return { known: this.#recent.slice(-count), owners: [...this.#owners].slice(-count) }
  }

  #take(record: LogRecord): void {
    const { value, at } = record
    this.last = at
    const change = changeOf(value)
    switch (change.type) {
      case 'message':
        // The same bytes again are a copy, which would undo later changes.
        if (this.#copies.has(record)) this.#skipCopy(change.id, at)
        else this.#put(change.id, record)
        return
      case 'metadata':
        this.#noted.counts.bookkeeping++
        if (change.messages === undefined) noteMetadata(this.#noted.notes, change.metadata)
        else this.#noted.findings.add(changedWhileReading(at))
        return
      case 'rewind':
        this.#noted.counts.bookkeeping++
        this.#noted.findings.add(changedWhileReading(at))
        return
      case 'unknown':
        this.#hold(at.start, { id: `@${at.start}`, time: undefined, at, isMessage: false, isLast: true }, value)
    }
  }

  #put(id: string, { value, at }: LogRecord): void {
    const before = this.#waiting.get(id)
    if (before === undefined) this.#remember(id)
    else this.#noted.counts.bookkeeping++
    const time = before?.time ?? value['timestamp']
    const interpreted = this.#hold(
      id,
      { id, time, at, isMessage: true, isLast: !this.#superseded.has(at.start) },
      value,
    )
    noteMessage(this.#noted.notes, value, interpreted)
    for (const result of resultIds(interpreted.parts)) if (!this.#owners.has(result)) this.#owners.set(result, id)
  }

  #hold(key: string | number, waiting: Omit<Waiting, 'interpreted'>, value: Record<string, unknown>): Interpreted {
    const interpreted = interpret(value)
    const isHeld = waiting.isLast && this.#heldBytes < MAX_HELD_BYTES
    if (isHeld) this.#heldBytes += waiting.at.end - waiting.at.start
    this.#waiting.set(key, { ...waiting, interpreted: isHeld ? interpreted : undefined })
    return interpreted
  }

  #skipCopy(id: string, at: FilePlace): void {
    this.#noted.counts.bookkeeping++
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) waiting.isLast = !this.#superseded.has(at.start)
  }

  #remember(id: string): void {
    this.#recent.push(id)
    if (this.#recent.length > 2 * MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT)
  }

  #give(key: string | number, waiting: Waiting): Message | undefined {
    const { id, time, at, isMessage } = waiting
    this.#waiting.delete(key)
    if (waiting.interpreted !== undefined) this.#heldBytes -= at.end - at.start
    const interpreted = waiting.interpreted ?? this.#fetcher.stray(at)
    if (interpreted === undefined) return undefined
    if (!isMessage) {
      this.#noted.counts.unknown++
      return messageOf(interpreted, id, time, at)
    }
    countUnknown(this.#noted.counts, interpreted.parts)
    const own = withoutRepeats(interpreted, result => (this.#owners.get(result) ?? id) !== id)
    if (own === undefined) {
      this.#noted.counts.bookkeeping++
      return undefined
    }
    notePrompt(this.#noted.notes, own)
    return messageOf(own, id, time, at)
  }
}

/** At least as many as a checkpoint stores. */
const MAX_RECENT = 1024
