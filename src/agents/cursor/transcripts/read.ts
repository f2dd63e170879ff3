// Reads a transcript of JSON lines: {role, message{content[]}}. It only grows, and holds neither times nor
// tool results.

import { pace } from '../../../disk/files/pace.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd, RecordCounts, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import type { LogRecord, RecordLog } from '../../stores/json-lines.ts'
import { checkpointAt, openLog } from '../../stores/json-lines.ts'
import { countUnknown } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asText, present } from '../../stores/values.ts'
import type { Interpreted } from '../blocks.ts'
import { interpret, titleOf } from '../blocks.ts'
import { folderNamedIn } from '../folders.ts'
import { dashedProject } from '../places.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(readSession(session, options))
}

/**
 * What a later reading needs to know from the earlier one. Plain data, because it is part of a checkpoint.
 */
export interface State {
  title?: string
  project?: string
  counts: RecordCounts
}

function* readSession(session: SessionRef, options: ReadOptions): Generator<Message, ReadingEnd, void> {
  const log = openLog(session.filePath, session.storeRoot, isRecord, options)
  try {
    return yield* readLines(log, session)
  } finally {
    log.close()
  }
}

/** A block of a message has a `type` as well, so only the type that stands alone is named. */
export function isRecord(value: Json): boolean {
  return (typeof value['role'] === 'string' && 'message' in value) || value['type'] === TURN_ENDED
}

export const TURN_ENDED = 'turn_ended'

function* readLines(log: RecordLog, session: SessionRef): Generator<Message, ReadingEnd, void> {
  const before = log.state as State | undefined
  const state: State = structuredClone(before) ?? newState()
  const findings = new Findings()
  const dashed = dashedProject(session.filePath)
  const records = log.records(findings)
  let step = records.next()
  for (; !step.done; step = records.next()) {
    const message = takeRecord(step.value, state, dashed)
    if (message !== undefined) yield message
  }
  state.counts.records += step.value.records
  state.counts.skipped += step.value.skipped
  const { parsedUpTo } = step.value
  // A torn tail will be read again, so its skip is not counted in the checkpoint.
  const counts = { ...state.counts, skipped: state.counts.skipped - findings.updating }
  const common = {
    facts: factsFrom(session, state),
    counts: state.counts,
    branches: [],
    continued: log.continued,
    ...checkpointAt(log, parsedUpTo, { ...state, counts }),
  }
  return endReading(common, findings, { parsedUpTo, recovered: state.counts.records > 0 })
}

export function newState(): State {
  return { counts: { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 } }
}

/** The message of a record, with what it adds to the state. Undefined for bookkeeping. */
export function takeRecord(record: LogRecord, state: State, dashed: string | undefined): Message | undefined {
  if (record.value['type'] === TURN_ENDED) {
    state.counts.bookkeeping++
    return undefined
  }
  const { message } = interpretRecord(record)
  countUnknown(state.counts, message.parts)
  note(state, message, dashed)
  return message
}

/** There are no ids, so a message is identified by its offset. */
export function interpretRecord({ value, at }: Pick<LogRecord, 'value' | 'at'>): Interpreted {
  const content = asObject(value['message'])?.['content'] ?? value['message']
  const role = value['role'] ?? value['type']
  const isMessage = typeof value['role'] === 'string' && 'message' in value
  return interpret({
    role: isMessage ? role : `${asText(role) ?? '(none)'} record`,
    content,
    id: `@${at.start}`,
    at,
    record: value,
  })
}

function note(state: State, message: Message, dashed: string | undefined): void {
  const title = state.title ?? titleOf(message)
  if (title !== undefined) state.title = title
  if (state.project !== undefined || dashed === undefined) return
  for (const part of message.parts) {
    if (part.type !== 'tool-call') continue
    const texts = Object.values(asObject(part.input) ?? {}).filter(text => typeof text === 'string')
    const project = texts
      .values()
      .map(text => folderNamedIn(text, dashed))
      .find(folder => folder !== undefined)
    if (project !== undefined) state.project = project
  }
}

export function factsFrom(session: SessionRef, state: State): SessionFacts {
  return present<SessionFacts>({
    sessionId: session.sessionId,
    title: state.title,
    project: session.project ?? state.project,
    subagentOf: session.subagentOf,
  })
}
