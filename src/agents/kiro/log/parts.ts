// Reads a large log without broken lines in parts.
import { parseObject } from '../../../bytes/json.ts'
import { splitLines } from '../../../bytes/lines.ts'
import { CHUNK_BYTES, type OpenFile } from '../../../disk/files/read.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { ReadingEnd } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { PartEnd, PartJoiner, StoreParts, TrueState } from '../../parts.ts'
import type { LogRecord } from '../../stores/json-lines.ts'
import { joinNotes, LogEnds, PartCutter, type PartReader, planLog, readPart } from '../../stores/part-log.ts'
import { asObject, type Json } from '../../stores/values.ts'
import { Conversation, type ConversationState, type Noted, newNoted } from './conversation.ts'
import { factsFrom, metadataOf } from './read.ts'
import { isLogRecord } from './records.ts'
import { answerId } from './runs.ts'

/** A part with an answer whose pieces take more could not be rendered before its turn. */
const MAX_UNCUT_BYTES = 8 * 1024 * 1024

export const parts: StoreParts = {
  plan(session, sizes, onPart) {
    return planLog(session, isLogRecord, onPart, ({ file }, growing) => {
      const cutter = new PartCutter(bounds => growing.add(bounds, undefined), sizes)
      if (!cutLines(file, cutter)) return false
      cutter.finish(file.identity.size)
      return true
    })
  },
  read: (session, plan, part, from) => readPart(session, plan, { part, from }, isLogRecord, () => new Part(from)),
  join: session => new Joiner(session),
}

/**
 * Cuts not between the pieces of an answer, which may be long and is part of the state, and right after a prompt if
 * there may be states of tool calls, which a prompt ends. False if an answer is too long.
 */
function cutLines(file: OpenFile, cutter: PartCutter): boolean {
  const { size } = file.identity
  let before: Json | undefined
  for (const { bytes, start } of splitLines(file.chunks(0, size, Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES))))) {
    if (!cutter.isDue(start)) {
      cutter.add(start)
      continue
    }
    const record = parseObject(bytes) ?? {}
    if (before !== undefined && isPieceAfter(before, record)) {
      if (cutter.lengthUpTo(start) >= MAX_UNCUT_BYTES) return false
      before = record
    } else {
      const isCut = before !== undefined && cutter.add(start, mayHaveToolStates(before, record))
      before = isCut ? undefined : record
    }
  }
  return true
}

function isPieceAfter(before: Json, record: Json): boolean {
  const id = answerId(record)
  return id !== undefined && id === answerId(before)
}

function mayHaveToolStates(before: Json, record: Json): boolean {
  return record['kind'] === undefined && asObject(before['payload'])?.['type'] !== 'user'
}

class Part implements PartReader<Noted> {
  readonly #conversation: Conversation

  constructor(from: TrueState | undefined) {
    const state: ConversationState = from?.state === undefined ? {} : JSON.parse(from.state)
    this.#conversation = new Conversation(state, newNoted())
  }

  take(record: LogRecord): Iterable<Message> {
    return this.#conversation.add(record)
  }

  startPart(): void {
    this.#conversation.noted = newNoted()
  }

  state(): string {
    return this.#conversation.state
  }

  finish(): Iterable<Message> {
    return this.#conversation.finish()
  }

  collected(): Noted {
    return this.#conversation.noted
  }
}

class Joiner implements PartJoiner {
  readonly #session: SessionRef
  readonly #ends = new LogEnds()
  readonly #noted = newNoted()

  constructor(session: SessionRef) {
    this.#session = session
  }

  accepts(end: PartEnd): boolean {
    return this.#ends.isNext(end)
  }

  add(end: PartEnd): boolean {
    const { notes, counts } = this.#ends.add<Noted>(end)
    this.#noted.counts.bookkeeping += counts.bookkeeping
    this.#noted.counts.unknown += counts.unknown
    this.#noted.notes = joinNotes(this.#noted.notes, notes, ['prompt', 'startedAt'], ['updatedAt'])
    return true
  }

  state(): TrueState {
    return { state: this.#ends.after, met: undefined }
  }

  end(): ReadingEnd {
    const { end, findings: inLog } = this.#ends
    const findings = new Findings()
    const metadata = metadataOf(this.#session, this.#session.filePath, findings)
    for (const finding of inLog.list) findings.add(finding)
    const facts = factsFrom(this.#session, metadata, this.#noted.notes)
    const counts = { ...this.#noted.counts, records: end.records, skipped: end.skipped }
    const common = { facts, counts, branches: [], continued: false }
    return endReading(common, findings, { parsedUpTo: end.parsedUpTo, recovered: end.records > 0 })
  }

  close(): void {}
}
