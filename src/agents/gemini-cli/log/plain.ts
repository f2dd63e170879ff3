// Most logs only add messages and write them again: they hold no rewind and no list. Such a log is parsed once, and
// each message is given when its last record was read.
import type { Field } from '../../../bytes/scanner/fields.ts'
import type { Findings } from '../../../model/finding.ts'
import type { FilePlace, Message } from '../../../model/message.ts'
import type { RecordCounts } from '../../../model/reading.ts'
import { Copies } from '../../stores/copies.ts'
import type { LogEnd, LogRecord, RecordLog } from '../../stores/json-lines.ts'
import { proveLines, slotOf } from '../../stores/prove-lines.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import { type FactNotes, noteMessage, noteMetadata, notePrompt } from '../facts.ts'
import { type Interpreted, interpret, messageOf, resultIds, withoutRepeats } from '../messages.ts'
import { changeOf } from './changes.ts'
import { changedWhileReading, Fetcher } from './fetch.ts'

/** A smaller log is parsed twice in no time. */
const SMALLEST_BYTES = 1024 * 1024
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

/** Where the last record of each message starts. Undefined for a log that is not plain. */
export function findLastRecords(log: RecordLog, smallestBytes = SMALLEST_BYTES): Map<string, number> | undefined {
  if (log.continued || log.file.identity.size < smallestBytes) return undefined
  const last = new Map<string, number>()
  const isPlain = proveLines(log.file, FIELDS, line => {
    const id = slotOf(line.shape['id'])
    if (id !== undefined) last.set(line.text(id), line.start)
    return id !== undefined || !('id' in line.shape)
  })
  return isPlain ? last : undefined
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

export class PlainLog {
  readonly #log: RecordLog
  /** Only those that are still to come. */
  readonly #last: Map<string, number>
  readonly #notes: FactNotes
  readonly #findings: Findings
  readonly #counts: RecordCounts
  readonly #copies: Copies
  /** In the order of the conversation: messages by their id, other records by their place. */
  readonly #waiting = new Map<string | number, Waiting>()
  #heldBytes = 0
  /** Which message gives a result that several hold: the one that held it first. */
  readonly #owners = new Map<string, string>()
  #recent: string[] = []
  last: FilePlace | undefined

  constructor(
    log: RecordLog,
    last: Map<string, number>,
    collected: { notes: FactNotes; findings: Findings; counts: RecordCounts },
  ) {
    this.#log = log
    this.#last = last
    this.#notes = collected.notes
    this.#findings = collected.findings
    this.#counts = collected.counts
    this.#copies = new Copies(log.file)
  }

  *messages(): Generator<Message, LogEnd, void> {
    const fetcher = new Fetcher(this.#log, this.#findings)
    const records = this.#log.records(this.#findings)
    let step = records.next()
    for (; !step.done; step = records.next()) {
      this.#take(step.value)
      for (const [key, waiting] of this.#waiting) {
        if (!waiting.isLast) break
        const message = this.#give(key, waiting, fetcher)
        if (message !== undefined) yield message
      }
    }
    this.#copies.note(this.#findings)
    for (const [key, waiting] of this.#waiting) {
      const message = this.#give(key, waiting, fetcher)
      if (message !== undefined) yield message
    }
    return step.value
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
        this.#counts.bookkeeping++
        if (change.messages === undefined) noteMetadata(this.#notes, change.metadata)
        else this.#findings.add(changedWhileReading(at))
        return
      case 'rewind':
        this.#counts.bookkeeping++
        this.#findings.add(changedWhileReading(at))
        return
      case 'unknown':
        this.#hold(at.start, { id: `@${at.start}`, time: undefined, at, isMessage: false, isLast: true }, value)
    }
  }

  #put(id: string, { value, at }: LogRecord): void {
    const before = this.#waiting.get(id)
    if (before === undefined) this.#remember(id)
    else this.#counts.bookkeeping++
    const time = before?.time ?? value['timestamp']
    const interpreted = this.#hold(id, { id, time, at, isMessage: true, isLast: this.#isLast(id, at) }, value)
    noteMessage(this.#notes, value, interpreted)
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
    this.#counts.bookkeeping++
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) waiting.isLast = this.#isLast(id, at)
  }

  #isLast(id: string, { start }: FilePlace): boolean {
    if ((this.#last.get(id) ?? start) > start) return false
    this.#last.delete(id)
    return true
  }

  #remember(id: string): void {
    this.#recent.push(id)
    if (this.#recent.length > 2 * MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT)
  }

  #give(key: string | number, waiting: Waiting, fetcher: Fetcher): Message | undefined {
    const { id, time, at, isMessage } = waiting
    this.#waiting.delete(key)
    if (waiting.interpreted !== undefined) this.#heldBytes -= at.end - at.start
    const interpreted = waiting.interpreted ?? fetcher.stray(at)
    if (interpreted === undefined) return undefined
    if (!isMessage) {
      this.#counts.unknown++
      return messageOf(interpreted, id, time, at)
    }
    countUnknown(this.#counts, interpreted.parts)
    const own = withoutRepeats(interpreted, result => (this.#owners.get(result) ?? id) !== id)
    if (own === undefined) {
      this.#counts.bookkeeping++
      return undefined
    }
    notePrompt(this.#notes, own)
    return messageOf(own, id, time, at)
  }
}

/** At least as many as a checkpoint stores. */
const MAX_RECENT = 1024
