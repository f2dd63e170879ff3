// One record for a repair: its bytes, their offset, and the fields that repairs move or copy.
import { QUOTE } from '../../../bytes/ascii.ts'
import type { Span } from '../../../bytes/json.ts'
import { plainString } from '../../../bytes/json.ts'
import { fieldNames, skimFields } from '../../../bytes/skim.ts'
import type { LogView, RawEdit } from '../../repair.ts'

const NAMES = fieldNames('uuid', 'parentUuid', 'timestamp')

export interface StoredRecord {
  record: number
  /** The offset of the record in the log. */
  at: number
  bytes: Buffer
  uuid: string | undefined
  timestamp: string | undefined
  parent: Span | undefined
}

export function fetchRecord(log: LogView, record: number): StoredRecord {
  const at = log.visible.start(record)
  const bytes = log.bytes.range(at, log.visible.end(record))
  const [uuid, parent, timestamp] = skimFields(bytes, NAMES) ?? []
  return { record, at, bytes, uuid: plainString(bytes, uuid), timestamp: plainString(bytes, timestamp), parent }
}

/** Links the record to another parent. Replaces only the bytes of the id, which has the same length. */
export function linkTo({ at, bytes, parent }: StoredRecord, uuid: string): RawEdit | undefined {
  if (parent === undefined || bytes[parent.start] !== QUOTE) return undefined
  return {
    start: at + parent.start + 1,
    end: at + parent.end - 1,
    bytes: Buffer.from(JSON.stringify(uuid).slice(1, -1)),
  }
}

const NEWLINE = 0x0a
const CHUNK_BYTES = 4096

/** The offset after the line that ends at or after `end`, and whether that line has a newline. */
export function afterLine({ bytes }: LogView, end: number): { at: number; isEnded: boolean } {
  for (let from = end; from < bytes.size; from += CHUNK_BYTES) {
    const newline = bytes.range(from, Math.min(bytes.size, from + CHUNK_BYTES)).indexOf(NEWLINE)
    if (newline !== -1) return { at: from + newline + 1, isEnded: true }
  }
  return { at: bytes.size, isEnded: false }
}
