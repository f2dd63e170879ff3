// One rollout opened for reading: the file itself, or the text of a compressed one.

import { isDeepStrictEqual } from 'node:util'
import { parseObject } from '../../../bytes/json.ts'
import type { Field } from '../../../bytes/scanner/fields.ts'
import { CHUNK_BYTES, type OpenFile } from '../../../disk/files/read.ts'
import type { ZstdDamage } from '../../../disk/files/zstd.ts'
import { Findings } from '../../../model/finding.ts'
import { Copies } from '../../stores/copies.ts'
import { type LogOptions, type LogRecord, openLog, type RecordLog } from '../../stores/json-lines.ts'
import { type ProvedLine, proveLines, slotOf } from '../../stores/prove-lines.ts'
import { asObject, asText, type Json } from '../../stores/values.ts'
import { isSilent } from '../records/events.ts'
import { EventPairs, type EventState, mayHaveKeys } from '../records/lone-events.ts'
import { isEnvelope, isWholeRecord, toRolloutRecord } from '../records/record.ts'

/** The source of a session's text, and the file to name in findings. */
export interface Source {
  path: string
  root: string
  shownAs: string
  /** Present if the text was decompressed: such a file has no checkpoint. */
  compressed?: { damage: ZstdDamage | undefined; bytes: number }
}

export interface Rollout extends RecordLog {
  /** Whether a record of the newer form was seen so far. */
  isEnveloped(): boolean
}

export function openRollout(source: Source, options: LogOptions): Rollout {
  let enveloped = false
  const log = openLog(source.path, source.root, value => isWholeRecord(value, enveloped), options)
  if (log.continued) enveloped = (log.state as { enveloped: boolean }).enveloped
  // Places and hints name the person's file, not the temporary one.
  log.file.path = source.shownAs
  return {
    ...log,
    isEnveloped: () => enveloped,
    *records(findings, parse) {
      const records = log.records(findings, parse)
      const copies = new Copies(log.file)
      let step = records.next()
      for (; !step.done; step = records.next()) {
        enveloped ||= isEnvelope(step.value.value)
        if (!isCopy(copies, step.value)) yield step.value
      }
      copies.note(findings)
      return step.value
    },
  }
}

function isCopy(copies: Copies, record: LogRecord): boolean {
  const key = copyKey(record)
  return key !== undefined && copies.has(record, key, before => isSameRecord(before, record.bytes))
}

/** What copies of a record share. Undefined without an id and a time: then equal text does not prove a copy. */
function copyKey({ value, bytes }: LogRecord): Buffer | undefined {
  const id = itemId(value)
  if (id !== undefined) return Buffer.from(id)
  return (toRolloutRecord(value)?.time ?? null) === null ? undefined : bytes
}

/** Items with an id are the same if their payloads are. */
export function isSameRecord(before: Buffer, bytes: Buffer): boolean {
  if (before.equals(bytes)) return true
  const value = parseObject(bytes)
  if (value === undefined || itemId(value) === undefined) return false
  const item = asObject(parseObject(before)?.['payload'])
  return item !== undefined && isDeepStrictEqual(item, toRolloutRecord(value)?.payload)
}

export function itemId(value: Json): string | undefined {
  const rollout = toRolloutRecord(value)
  return rollout?.type === 'response_item' ? asText(rollout.payload['id']) : undefined
}

/**
 * Whether the added records are older than the last reading: a copy of earlier records, or a clock that was
 * set back.
 */
export function goesBack(rollout: Rollout, lastTime: string | undefined): boolean {
  if (lastTime === undefined) return false
  for (const { value } of rollout.records(new Findings())) {
    const time = toRolloutRecord(value)?.time ?? undefined
    if (time !== undefined && time <= lastTime) return true
  }
  return false
}

const MESSAGES = ['_message"', '"agent_reasoning', '"item_completed"', '"message"', '"reasoning"'].map(word =>
  Buffer.from(word),
)
const OTHER = { timestamp: '', type: 'other', payload: {} }

/** A separate pass over a file with both, because an event may stand before its item. Other records are skipped. */
export function pairEvents(rollout: Rollout, before: EventState | undefined, seen: Seen): EventPairs {
  const proved = mayBeProved(rollout) ? pairInProved(rollout, seen) : undefined
  if (proved !== undefined) return proved
  const pairs = new EventPairs(before)
  const parse = (bytes: Buffer) => (MESSAGES.some(word => bytes.includes(word)) ? parseObject(bytes) : OTHER)
  for (const { value, at } of rollout.records(new Findings(), parse)) {
    const record = toRolloutRecord(value)
    if (record !== undefined) pairs.add(record, at.start)
  }
  return pairs
}

/** A smaller file is parsed in no time. */
const SMALLEST_PROVED_BYTES = 1024 * 1024
const WORD: Field = { leaf: 'word' }
const ANY: Field = {}
const TYPES: Field = {
  fields: {
    timestamp: { leaf: 'id' },
    type: WORD,
    payload: {
      fields: {
        ...{ type: WORD, thread_id: ANY, turn_id: ANY, started_at_ms: ANY, completed_at_ms: ANY },
        item: { fields: { type: WORD, summary_text: ANY, raw_content: ANY } },
      },
      others: ANY,
    },
  },
}

function mayBeProved({ continued, file }: RecordLog): boolean {
  return !continued && file.identity.size >= SMALLEST_PROVED_BYTES
}

/**
 * The same for a large file without damage: only the records with words of the conversation are parsed. Notes also
 * whether turns were rolled back.
 */
function pairInProved({ file }: Rollout, seen: Seen): EventPairs | undefined {
  let rollbacks = false
  const pairs = new EventPairs()
  const copies = new Copies(file)
  const isProved = proveKinds(file, (line, { says, rollsBack }) => {
    rollbacks ||= rollsBack
    if (!says) return true
    const value = parseObject(line.bytes())
    if (value === undefined) return false
    const record = toRolloutRecord(value)
    const at = { file: file.path, start: line.start, end: line.end }
    if (record !== undefined && !isCopy(copies, { value, bytes: line.bytes(), at })) pairs.add(record, line.start)
    return true
  })
  if (!isProved) return undefined
  seen.rollbacks = rollbacks
  return pairs
}

export interface LineKind {
  /** Whether it may hold words of the conversation. */
  says: boolean
  rollsBack: boolean
  isTurnContext: boolean
  /** The slot of the time of an event of which nothing is shown. */
  silentTime: number | undefined
}

/** Gives every line of a log without damage. False if a line is not proved or not wanted. */
export function proveKinds(file: OpenFile, isWanted: (line: ProvedLine, kind: LineKind) => boolean): boolean {
  return proveLines(file, TYPES, line => isWanted(line, kindOf(line.shape)))
}

/** Shapes are few, and the same objects for all lines. */
const KINDS = new WeakMap<object, LineKind>()

function kindOf(shape: ProvedLine['shape']): LineKind {
  const known = KINDS.get(shape)
  if (known !== undefined) return known
  const payload = asObject(shape['payload'])
  const kind = {
    says: payload === undefined || mayHaveKeys(payload),
    rollsBack: payload?.['type'] === ROLLED_BACK,
    isTurnContext: shape['type'] === 'turn_context',
    silentTime: isSilent(shape['type'], payload) ? slotOf(shape['timestamp']) : undefined,
  }
  KINDS.set(shape, kind)
  return kind
}

// Scans the bytes for a few words before the records are parsed. Most files hold none of them, and then one
// reading is enough.

export interface Seen {
  items: boolean
  events: boolean
  /** Undefined if not all bytes were scanned. */
  rollbacks: boolean | undefined
}

export const ROLLED_BACK = 'thread_rolled_back'

// With both quotes: in a text that mentions one of these, a backslash precedes them.
const NEEDLES: Record<keyof Seen, Buffer> = {
  items: Buffer.from('"response_item"'),
  events: Buffer.from('"event_msg"'),
  rollbacks: Buffer.from(`"${ROLLED_BACK}"`),
}
const LONGEST = Math.max(...Object.values(NEEDLES).map(needle => needle.length))

/** Of a file whose events will be paired in proved lines, only the beginning. */
export function scanForWords(log: RecordLog, isProvedLater = mayBeProved(log)): Seen {
  const seen: Seen = { items: false, events: false, rollbacks: false }
  let tail: Buffer = Buffer.alloc(0)
  const { size } = log.file.identity
  for (const chunk of log.file.chunks(log.startOffset, size, Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size)))) {
    // The bytes across the border of two chunks.
    scanBytes(seen, Buffer.concat([tail, chunk.subarray(0, LONGEST)]))
    scanBytes(seen, chunk)
    if (isProvedLater && seen.items && seen.events) return { ...seen, rollbacks: undefined }
    tail = Buffer.from(chunk.subarray(-LONGEST))
  }
  return seen
}

function scanBytes(seen: Seen, bytes: Buffer): void {
  for (const name of ['items', 'events', 'rollbacks'] as const) seen[name] ||= bytes.includes(NEEDLES[name])
}
