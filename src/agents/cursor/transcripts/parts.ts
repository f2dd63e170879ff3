// Reads a large transcript in parts. No message depends on another one, so any line border is a good place to cut,
// and a reader needs nothing from before its part.
import { NEWLINE } from '../../../bytes/ascii.ts'
import { CHUNK_BYTES, type OpenFile } from '../../../disk/files/read.ts'
import type { Message } from '../../../model/message.ts'
import type { ReadingEnd } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { PartEnd, PartJoiner, StoreParts, TrueState } from '../../parts.ts'
import type { LogRecord } from '../../stores/json-lines.ts'
import { LogEnds, PartCutter, type PartReader, planLog, readPart } from '../../stores/part-log.ts'
import { dashedProject } from '../places.ts'
import { factsFrom, isRecord, newState, type State, takeRecord } from './read.ts'

export const parts: StoreParts = {
  plan(session, sizes, onPart) {
    return planLog(session, isRecord, onPart, ({ file }, growing) => {
      const cutter = new PartCutter(bounds => growing.add({ ...bounds, warmUp: bounds.start }, undefined), sizes)
      cutLines(file, cutter)
      cutter.finish(file.identity.size)
      return true
    })
  },
  read: (session, plan, part, from) => readPart(session, plan, { part, from }, isRecord, () => new Part(session)),
  join: session => new Joiner(session),
}

function cutLines(file: OpenFile, cutter: PartCutter): void {
  const { size } = file.identity
  let start = 0
  for (const chunk of file.chunks(0, size, Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES)))) {
    // Only a line with which a part may start has to be found.
    if (cutter.isNear(start + chunk.length))
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1))
        if (start + at + 1 < size) cutter.add(start + at + 1)
    start += chunk.length
  }
}

class Part implements PartReader<State> {
  readonly #dashed: string | undefined
  #state = newState()

  constructor(session: SessionRef) {
    this.#dashed = dashedProject(session.filePath)
  }

  take(record: LogRecord): readonly Message[] {
    const message = takeRecord(record, this.#state, this.#dashed)
    return message === undefined ? [] : [message]
  }

  /** Nothing that later messages depend on. */
  state(): string {
    return ''
  }

  startPart(): void {
    this.#state = newState()
  }

  finish(): Iterable<Message> {
    return []
  }

  collected(): State {
    return this.#state
  }
}

class Joiner implements PartJoiner {
  readonly #session: SessionRef
  readonly #ends = new LogEnds()
  #state = newState()

  constructor(session: SessionRef) {
    this.#session = session
  }

  accepts(end: PartEnd): boolean {
    return this.#ends.isNext(end)
  }

  /** The first title and the first project count. */
  add(end: PartEnd): boolean {
    const { counts, ...named } = this.#ends.add<State>(end)
    const before = this.#state
    this.#state = { ...named, ...before }
    before.counts.bookkeeping += counts.bookkeeping
    before.counts.unknown += counts.unknown
    return true
  }

  state(): TrueState {
    return { state: this.#ends.after, met: undefined }
  }

  end(): ReadingEnd {
    const { end, findings } = this.#ends
    const counts = { ...this.#state.counts, records: end.records, skipped: end.skipped }
    const common = { facts: factsFrom(this.#session, this.#state), counts, branches: [], continued: false }
    return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered: end.records > 0 })
  }

  close(): void {}
}
