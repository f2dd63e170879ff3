// The messages of a chat and their order, from the latest root, or from the best fallback if that is damaged.

import { eachProtoBytes } from '../../../bytes/protobuf.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import type { Database } from '../../../disk/sqlite/read-database.ts'
import type { Findings } from '../../../model/finding.ts'
import { asBytes } from '../../stores/values.ts'
import type { StoreFacts } from './store.ts'
import { hasBlob, readBlob } from './store.ts'

export interface BlobIds {
  count: number
  idsBetween(start: number, end: number): string[]
}

/** The ids of the message blobs. */
export interface MessageOrder extends BlobIds {
  /** The bytes of these ids. Undefined if not all are hashes. */
  hashes?: Buffer
  /** URLs of the chat's folders, as in the root. */
  workspaces: string[]
}

const MESSAGES = 1
const WORKSPACES = 9
const ID_BYTES = 32
const ID_DIGITS = 2 * ID_BYTES
/** Tag and length of a message id in a root, with the id itself. */
const ENTRY_BYTES = 34

export function readOrder(database: Database, facts: StoreFacts | undefined, findings: Findings): MessageOrder {
  const latest = facts?.root === undefined ? undefined : readBlob(database, facts.root)
  if (latest?.type === 'proved') return decodeRoot(latest.bytes)
  if (facts !== undefined && facts.root === undefined && isEmpty(database)) return orderOf([])
  const fallback = bestRoot(database) ?? messagesAsWritten(database)
  const [table, row] = facts?.root === undefined ? ['meta', '0'] : ['blobs', facts.root]
  findings.add({
    damage: latest?.type === 'altered' ? 'altered-root' : 'missing-root',
    severity: 'lost',
    at: { file: database.path, table, row },
    text: `${lossOf(facts, latest?.type)} ${fallback.text}`,
    hint: `See which blobs are left: sqlite3 -readonly ${quote(database.path)} 'SELECT id, length(data) FROM blobs'`,
  })
  return fallback.order
}

function lossOf(facts: StoreFacts | undefined, type: 'altered' | 'missing' | undefined): string {
  if (facts === undefined) return 'The row that names the latest state of the chat is missing or unreadable.'
  if (type === undefined) return 'The store does not name the latest state of the chat.'
  return type === 'altered' ? 'The latest state of the chat was altered.' : 'The latest state of the chat is missing.'
}

function isEmpty(database: Database): boolean {
  return database.all('SELECT 1 FROM blobs LIMIT 1').length === 0
}

function decodeRoot(bytes: Buffer): MessageOrder {
  const workspaces: string[] = []
  const ids = Buffer.allocUnsafeSlow(bytes.length)
  let length = 0
  eachProtoBytes(bytes, (field, start, end) => {
    if (field === MESSAGES && end - start === ID_BYTES) length += bytes.copy(ids, length, start, end)
    else if (field === WORKSPACES) workspaces.push(bytes.toString('utf8', start, end))
  })
  const hashes = ids.subarray(0, length)
  return { ...blobIdsIn(hashes), hashes, workspaces }
}

/** As texts, the ids of a long chat would take much more memory. */
export function blobIdsIn(hashes: Buffer): BlobIds {
  const idsBetween = (start: number, end: number): string[] => {
    const digits = hashes.toString('hex', start * ID_BYTES, end * ID_BYTES)
    return Array.from({ length: end - start }, (_, at) => digits.slice(at * ID_DIGITS, (at + 1) * ID_DIGITS))
  }
  return { count: hashes.length / ID_BYTES, idsBetween }
}

/** The bytes of some of these ids, alone in their memory. */
export function hashesBetween(hashes: Buffer, start: number, end: number): Uint8Array {
  return Uint8Array.prototype.slice.call(hashes, start * ID_BYTES, end * ID_BYTES)
}

function orderOf(ids: readonly string[]): MessageOrder {
  return { count: ids.length, idsBetween: (start, end) => ids.slice(start, end), workspaces: [] }
}

interface Fallback {
  order: MessageOrder
  text: string
}

/**
 * The blob that decodes as the root with the most existing messages. It may be an altered root: only ids that
 * name a blob count, and each blob is verified.
 */
function bestRoot(database: Database): Fallback | undefined {
  const candidates = database.each(
    "SELECT CAST(data AS BLOB) AS data FROM blobs WHERE substr(CAST(data AS BLOB), 1, 2) = x'0a20' ORDER BY length(CAST(data AS BLOB)) DESC, rowid DESC",
  )
  let best: MessageOrder | undefined
  let most = 0
  for (const row of candidates) {
    const bytes = asBytes(row['data'])
    if (Math.floor(bytes.length / ENTRY_BYTES) <= most) break
    const order = decodeRoot(bytes)
    const existing = countBlobs(database, order)
    if (existing <= most) continue
    best = order
    most = existing
  }
  if (best === undefined) return undefined
  return { order: best, text: `The fullest other state was read, with ${most} of ${best.count} messages.` }
}

function countBlobs(database: Database, { count, idsBetween }: MessageOrder): number {
  let existing = 0
  for (let position = 0; position < count; position++)
    for (const id of idsBetween(position, position + 1)) if (hasBlob(database, id)) existing++
  return existing
}

/** Without any root, the order in which the messages were written. */
function messagesAsWritten(database: Database): Fallback {
  const rows = database.all("SELECT id FROM blobs WHERE substr(CAST(data AS BLOB), 1, 1) = x'7b' ORDER BY rowid")
  return {
    order: orderOf(rows.map(row => String(row['id']))),
    text: 'No other state is left; the messages are shown in the order in which they were written.',
  }
}
