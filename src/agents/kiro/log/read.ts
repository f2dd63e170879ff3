// Reads the stores that append a line for each message: `cli` and `v3`.
import { basename, dirname, join } from 'node:path'
import { pace } from '../../../disk/files/pace.ts'
import { exists } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ReadOptions } from '../../store.ts'
import type { RecordLog } from '../../stores/json-lines.ts'
import { checkpointAt, openLog } from '../../stores/json-lines.ts'
import { present } from '../../stores/values.ts'
import { Conversation, type Noted, type Notes, newNoted } from './conversation.ts'
import { readMetadata } from './metadata.ts'
import { isLogRecord } from './records.ts'
import type { RunState } from './runs.ts'

/** The path of a log's metadata, and the reverse. */
export function metadataPath(logPath: string): string {
  return basename(logPath) === 'messages.jsonl'
    ? join(dirname(logPath), 'session.json')
    : logPath.replace(/\.jsonl$/, '.json')
}

export function logPath(metadata: string): string {
  return basename(metadata) === 'session.json' ? join(dirname(metadata), 'messages.jsonl') : `${metadata}l`
}

/** Everything a second reading needs to know from the first. */
interface State extends Noted {
  runs: RunState
}

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(readLogSession(session, options))
}

function* readLogSession(session: SessionRef, options: ReadOptions): Generator<Message, ReadingEnd, void> {
  const isFoundByMetadata = !session.filePath.endsWith('.jsonl')
  const path = isFoundByMetadata ? logPath(session.filePath) : session.filePath
  if (isFoundByMetadata && !exists(path)) return missingLog(session, path)
  const end = yield* tryReading(session, path, options)
  // The last message that was given before has grown, so everything is read again.
  return end ?? (yield* readLogSession(session, {}))
}

/** Undefined, with nothing given, if what was added continues a message that was given before. */
function* tryReading(
  session: SessionRef,
  path: string,
  options: ReadOptions,
): Generator<Message, ReadingEnd | undefined, void> {
  const log = openLog(path, session.storeRoot, isLogRecord, options)
  try {
    const findings = new Findings()
    const metadata = metadataOf(session, path, findings)
    return yield* readRecords(log, session, metadata, findings)
  } finally {
    log.close()
  }
}

/** The logs of subagents have no metadata. */
export function metadataOf({ storeRoot }: SessionRef, path: string, findings: Findings): SessionFacts {
  const isSubAgent = basename(dirname(path)) === 'sub-executions'
  return isSubAgent ? {} : readMetadata(metadataPath(path), storeRoot, findings)
}

function* readRecords(
  log: RecordLog,
  session: SessionRef,
  metadata: SessionFacts,
  findings: Findings,
): Generator<Message, ReadingEnd | undefined, void> {
  const before = log.state as State | undefined
  const noted = newNoted(before)
  const { notes, counts } = noted
  const conversation = new Conversation(before === undefined ? {} : { runs: before.runs }, noted)
  const records = log.records(findings)
  let step = records.next()
  for (; !step.done; step = records.next()) {
    const given = conversation.add(step.value)
    if (conversation.continuesEarlier) return undefined
    for (const message of given) yield message
  }
  yield* conversation.finish()
  counts.records += step.value.records
  counts.skipped += step.value.skipped
  const { parsedUpTo } = step.value
  // A torn tail will be read again, so its skip is not counted in the checkpoint.
  const settled: State = {
    counts: { ...counts, skipped: counts.skipped - findings.updating },
    notes,
    runs: conversation.runs,
  }
  const common = {
    facts: factsFrom(session, metadata, notes),
    counts,
    branches: [],
    continued: log.continued,
    ...checkpointAt(log, parsedUpTo, settled),
  }
  return endReading(common, findings, { parsedUpTo, recovered: counts.records > 0 })
}

export function factsFrom(session: SessionRef, metadata: SessionFacts, notes: Notes): SessionFacts {
  return present<SessionFacts>({
    ...metadata,
    sessionId: metadata.sessionId ?? session.sessionId,
    title: metadata.title ?? notes.prompt,
    startedAt: metadata.startedAt ?? notes.startedAt,
    updatedAt: metadata.updatedAt ?? notes.updatedAt,
    subagentOf: metadata.subagentOf ?? session.subagentOf,
  })
}

/**
 * Kiro still lists a session whose log is gone. The reading gives its metadata and reports that the
 * conversation is missing.
 */
function missingLog(session: SessionRef, path: string): ReadingEnd {
  const findings = new Findings()
  const facts = factsFrom(session, readMetadata(session.filePath, session.storeRoot, findings), {})
  findings.add({
    damage: 'missing-log',
    severity: 'lost',
    at: { file: path, start: 0, end: 0 },
    text: `${path} does not exist: the metadata file of this session exists, the conversation itself does not.`,
    hint: `Search for a copy: find / -name ${quote(basename(path))} 2>/dev/null`,
  })
  const counts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 1 }
  return endReading({ facts, counts, branches: [], continued: false }, findings, { parsedUpTo: 0, recovered: false })
}
