// Rebuilds a lost `session_meta` from the file's name, the other records, the index and the rest of the torn
// line. Unknown fields are left out, except two that Codex requires: these are empty.
import type { HeaderRepair, LogView, RebuiltHeader } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { asNumber, asObject, asText, present } from '../../stores/values.ts'
import { firstRecord, recordAt, type StoredRecord } from '../records/record.ts'
import { soundFields } from '../records/shapes.ts'
import { codexHomeOf, threadRow } from './databases.ts'
import { headerOf, isPaginated, lastHeader, uuidOf } from './loader.ts'

const NEWLINE = 0x0a
const SPACE = 0x20

export const header: HeaderRepair = {
  isPresent: log => headerOf(log, log.index) === 'own',
  rebuild,
  findRepeated,
}

/**
 * In a paginated rollout, records before a later header are not loaded. Headers directly after the first one
 * were copied with a fork, and hide nothing.
 */
function findRepeated(log: LogView): { start: number; end: number; text: string }[] {
  const { visible, session } = log
  if (headerOf(log, visible) !== 'own' || !isPaginated(log, visible)) return []
  const found: { start: number; end: number; text: string }[] = []
  let hidden = 0
  const last = lastHeader(visible)
  for (let record = 1; record <= last; record++) {
    if (visible.kind(record) === 'talk') hidden++
    if (visible.kind(record) !== 'header' || visible.isRefused(record) || hidden === 0) continue
    const id = asText(recordAt(log.bytes, visible, record)?.payload['id'])
    const whose = id === uuidOf(session.filePath) ? 'A second header' : 'The header of another thread'
    const text = `${whose} comes after ${hidden} ${hidden === 1 ? 'message' : 'messages'}: Codex loads only what follows the last header.`
    found.push({ start: visible.start(record), end: visible.end(record), text })
  }
  return found
}

async function rebuild(log: LogView): Promise<RebuiltHeader> {
  const { session, index } = log
  const thread = uuidOf(session.filePath)
  if (thread === undefined) return { refused: `The name of ${session.filePath} does not name the thread.` }
  if (index.length === 0) return { refused: 'The file has no other record to make a header for.' }
  const home = codexHomeOf(session)
  const row = home === undefined ? undefined : await threadRow(home, thread)
  if (row === undefined && namesAnother(log, thread))
    return { refused: 'The header and the file name refer to different threads, and the index knows neither.' }
  const place = placeOf(log)
  const refused = headerOf(log, index) === 'refused' ? firstRecord(log.bytes, index)?.payload : undefined
  const left = refused === undefined ? tornFields(log, place.end) : soundFields(refused)
  const payload = { ...left, ...payloadOf(thread, left, row ?? {}, firstRecords(log)) }
  if (payload['cwd'] === undefined) return { refused: 'No remaining record names the folder of the session.' }
  const line = Buffer.from(JSON.stringify(envelope(payload, log)))
  const reason = 'Rebuild the header from the file name, the other records and the index'
  return { start: place.start, end: place.end, bytes: padTo(line, place), reason }
}

function namesAnother({ bytes, index }: LogView, thread: string): boolean {
  const id = index.kind(0) === 'header' ? asText(firstRecord(bytes, index)?.payload['id']) : undefined
  return id !== undefined && id.toLowerCase() !== thread.toLowerCase()
}

interface HeaderPlace {
  start: number
  end: number
  /** A record follows on the same line. */
  needsNewline: boolean
}

/** A longer line is not the remainder of a header. */
const MAX_LINE_BYTES = 1024 * 1024

/** The header that Codex refuses, the rest of the old line, or the start of the file. */
function placeOf(log: LogView): HeaderPlace {
  const { index, bytes } = log
  const first = index.start(0)
  if (headerOf(log, index) === 'refused') return { start: first, end: index.end(0), needsNewline: false }
  const newline = bytes.range(0, Math.min(first, MAX_LINE_BYTES)).indexOf(NEWLINE)
  if (newline !== -1) return { start: 0, end: newline, needsNewline: false }
  return { start: 0, end: first > MAX_LINE_BYTES ? 0 : first, needsNewline: true }
}

/** Pads to the length of the replaced bytes if possible: then nothing after it moves. */
function padTo(line: Buffer, { start, end, needsNewline }: HeaderPlace): Buffer {
  const newline = needsNewline ? Buffer.of(NEWLINE) : Buffer.alloc(0)
  const padding = Math.max(0, end - start - line.length - newline.length)
  return Buffer.concat([line, Buffer.alloc(padding, SPACE), newline])
}

/** Later records say nothing new about the start of the file. */
const MAX_SCANNED_RECORDS = 100

function firstRecords({ index, bytes }: LogView): StoredRecord[] {
  const records: StoredRecord[] = []
  for (let record = 0; record < Math.min(index.length, MAX_SCANNED_RECORDS); record++) {
    if (index.kind(record) !== 'change' && index.kind(record) !== 'other') continue
    const stored = recordAt(bytes, index, record)
    if (stored !== undefined) records.push(stored)
  }
  return records
}

/** The sources in order of trust. */
function payloadOf(thread: string, torn: Json, row: Json, records: StoredRecord[]): Json {
  const turn = records.find(({ type }) => type === 'turn_context')?.payload ?? {}
  const usage = records.find(({ type }) => type === 'token_usage_record')?.payload ?? {}
  const stored = (name: string): string | undefined => asText(torn[name]) ?? asText(row[name])
  return present<Json>({
    session_id: asText(torn['session_id']) ?? asText(usage['session_id']) ?? thread,
    id: thread,
    timestamp: asText(torn['timestamp']) ?? timeOf(row, thread) ?? records[0]?.time ?? undefined,
    cwd: asText(torn['cwd']) ?? asText(turn['cwd']) ?? asText(row['cwd']),
    originator: stored('originator') ?? '',
    cli_version: stored('cli_version') ?? '',
    source: sourceOf(asText(torn['source']) ?? asText(row['source'])),
    thread_source: stored('thread_source'),
    agent_nickname: asText(row['agent_nickname']),
    agent_role: asText(row['agent_role']),
    agent_path: asText(row['agent_path']),
    model_provider: stored('model_provider'),
    history_mode: stored('history_mode'),
  })
}

/** The index stores the source of a subagent as JSON in a text. */
function sourceOf(text: string | undefined): unknown {
  if (text === undefined || !text.startsWith('{')) return text
  try {
    return asObject(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A thread's id starts with the millisecond of its creation. */
function timeOf(row: Json, thread: string): string | undefined {
  const isTimed = thread[14] === '7'
  const made =
    asNumber(row['created_at_ms']) ?? (isTimed ? Number.parseInt(thread.replace('-', '').slice(0, 12), 16) : undefined)
  return made === undefined ? undefined : new Date(made).toISOString()
}

function envelope(payload: Json, { index, bytes }: LogView): Json {
  const first = firstRecord(bytes, index)
  const timestamp = payload['timestamp'] ?? first?.time ?? ''
  if (typeof first?.ordinal !== 'number') return { timestamp, type: 'session_meta', payload }
  const paginated = { ...payload, history_mode: payload['history_mode'] ?? 'paginated' }
  return { timestamp, ordinal: 0, type: 'session_meta', payload: paginated }
}

const FIELDS = [
  'session_id',
  'timestamp',
  'cwd',
  'originator',
  'cli_version',
  'source',
  'thread_source',
  'model_provider',
  'history_mode',
]
/** The instructions after these fields can be of any length. */
const MAX_TORN_BYTES = 64 * 1024

/** The fields of the payload that were complete before the line was torn. */
function tornFields({ bytes }: LogView, end: number): Json {
  const text = bytes.range(0, Math.min(end, MAX_TORN_BYTES)).toString('utf8')
  const begin = /"type"\s*:\s*"session_meta"\s*,\s*"payload"\s*:\s*\{/.exec(text)
  if (begin === null) return {}
  const payload = text.slice(begin.index + begin[0].length).split('"base_instructions"', 1)[0] ?? ''
  return present<Json>(Object.fromEntries(FIELDS.map(name => [name, stringField(payload, name)])))
}

function stringField(text: string, name: string): string | undefined {
  const found = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(text)?.[1]
  if (found === undefined) return undefined
  const value: unknown = JSON.parse(found)
  return typeof value === 'string' ? value : undefined
}
