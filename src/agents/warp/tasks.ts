// The tasks of a conversation: the readable content of each, and the order of all their messages.
import type { ProtoField } from '../../bytes/protobuf.ts'
import { findLastBytes, lastProtoBytes, protoText, readProto } from '../../bytes/protobuf.ts'
import type { Database } from '../../disk/sqlite/read-database.ts'
import { TIMESTAMP, timeIn } from './messages.ts'
import { bytesOf, hasColumns, textOf } from './rows.ts'

export interface Task {
  row: string
  parent: string | undefined
  description: string | undefined
  lost: TaskSpan[]
  /** The total number of bytes. */
  size: number
}

export interface TaskSpan {
  start: number
  end: number
}

/** One message: its place, and its time. */
export interface TaskEntry extends TaskSpan {
  task: Task
  time: number
}

export interface TaskIndex {
  tasks: Task[]
  entries: TaskEntry[]
}

/**
 * All tasks of a conversation. Their messages are merged by time, so a sub-task appears where it was worked
 * on. Within one task the stored order counts, whatever its times say, because it is the order of the
 * conversation.
 */
export function indexTasks(database: Database, conversationId: string): TaskIndex {
  const index: TaskIndex = { tasks: [], entries: [] }
  if (!hasColumns(database, 'agent_tasks', 'conversation_id', 'task')) return index
  const rows = database.each(
    `SELECT CAST(rowid AS TEXT) AS row, CAST(task AS BLOB) AS task FROM agent_tasks WHERE conversation_id = ? ORDER BY rowid`,
    conversationId,
  )
  for (const row of rows) {
    const blob = bytesOf(row, 'task')
    const { fields, lost } = walkTask(blob)
    const task = { row: textOf(row, 'row') ?? '', ...describe(fields), lost, size: blob.length }
    index.tasks.push(task)
    for (const entry of datedEntries(task, fields)) index.entries.push(entry)
  }
  const rank = new Map(index.tasks.map((task, at) => [task, isRoot(task) ? at - index.tasks.length : at]))
  index.entries.sort(
    (a, b) => compare(a.time, b.time) || compare(rank.get(a.task) ?? 0, rank.get(b.task) ?? 0) || a.start - b.start,
  )
  return index
}

export function isRoot(task: Task): boolean {
  return task.parent === undefined
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

const ID = 1
const DESCRIPTION = 2
const DEPENDENCIES = 3
const MESSAGE = 5

function describe(fields: ProtoField[]): Pick<Task, 'parent' | 'description'> {
  const task = { fields, brokenAt: undefined }
  const dependencies = lastProtoBytes(task, DEPENDENCIES)
  const parent = dependencies === undefined ? undefined : protoText(readProto(dependencies), 1)
  return {
    parent: parent === '' ? undefined : parent,
    description: protoText(task, DESCRIPTION) || undefined,
  }
}

function datedEntries(task: Task, fields: ProtoField[]): TaskEntry[] {
  const entries: TaskEntry[] = []
  // Messages without any time come first (in a root task) or last.
  let time = isRoot(task) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  let isDated = false
  for (const field of fields) {
    if (field.number !== MESSAGE || field.type !== 'bytes') continue
    const own = timeIn(findLastBytes(field.value, TIMESTAMP))
    if (own !== undefined) {
      time = isDated ? Math.max(time, own) : own
      if (!isDated) for (const entry of entries) entry.time = own
      isDated = true
    }
    entries.push({ task, start: field.end - field.value.length, end: field.end, time })
  }
  return entries
}

/** Beyond this many broken places the rest of a task is skipped. */
const MAX_BREAKS = 100
/**
 * No version of Warp has a higher field number in a task. A higher number means that the bytes are not the
 * start of a field.
 */
const MAX_FIELD = 31

/** The fields of a task. After unreadable bytes it continues with the next readable message. */
export function walkTask(blob: Buffer): { fields: ProtoField[]; lost: TaskSpan[] } {
  const fields: ProtoField[] = []
  const lost: TaskSpan[] = []
  let at = 0
  while (at < blob.length) {
    const read = readProto(blob.subarray(at))
    const wrong = read.fields.findIndex(field => field.number > MAX_FIELD)
    const good = wrong === -1 ? read.fields : read.fields.slice(0, wrong)
    for (const field of good) {
      field.start += at
      field.end += at
      fields.push(field)
    }
    const brokenAt = wrong === -1 ? read.brokenAt : read.fields[wrong]?.start
    if (brokenAt === undefined) break
    const next = lost.length < MAX_BREAKS ? findMessage(blob, at + brokenAt + 1) : blob.length
    lost.push({ start: at + brokenAt, end: next })
    at = next
  }
  return { fields, lost }
}

const MESSAGE_TAG = (MESSAGE << 3) | 2
const ID_TAG = (ID << 3) | 2
/** How many places are tried for the next message. */
const MAX_TRIES = 100_000

/** Where the next whole message starts. The end of the blob if there is none. */
function findMessage(blob: Buffer, from: number): number {
  let tries = 0
  for (let at = blob.indexOf(MESSAGE_TAG, from); at !== -1; at = blob.indexOf(MESSAGE_TAG, at + 1)) {
    if (++tries > MAX_TRIES) break
    const content = contentAt(blob, at + 1)
    if (content === undefined || content[0] !== ID_TAG) continue
    const message = readProto(content)
    if (message.brokenAt === undefined && (protoText(message, ID) ?? '') !== '' && message.fields.length > 1) return at
  }
  return blob.length
}

/** The bytes after the length at `at`. */
function contentAt(blob: Buffer, at: number): Buffer | undefined {
  let length = 0
  for (let i = 0; i < 5; i++) {
    const byte = blob[at + i]
    if (byte === undefined) return undefined
    length += (byte & 0x7f) * 2 ** (7 * i)
    if (byte >= 0x80) continue
    const start = at + i + 1
    return start + length <= blob.length ? blob.subarray(start, start + length) : undefined
  }
  return undefined
}

/** How many bytes of tasks are cached while messages come from several in turn. */
const MAX_HELD_BYTES = 32 * 1024 * 1024

/** Reads the bytes of messages. Their tasks are cached as long as there is room. */
export function makeTaskSource(database: Database, maxHeldBytes = MAX_HELD_BYTES): (entry: TaskEntry) => Buffer {
  const held = new Map<string, Buffer>()
  let heldBytes = 0
  return ({ task, start, end }) => {
    let blob = held.get(task.row)
    if (blob === undefined) {
      const [row] = database.all('SELECT CAST(task AS BLOB) AS task FROM agent_tasks WHERE rowid = ?', task.row)
      blob = bytesOf(row, 'task')
      heldBytes += blob.length
    } else held.delete(task.row)
    held.set(task.row, blob)
    for (const [oldest, bytes] of held) {
      if (heldBytes <= maxHeldBytes || oldest === task.row) break
      held.delete(oldest)
      heldBytes -= bytes.length
    }
    return blob.subarray(start, end)
  }
}
