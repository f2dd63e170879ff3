// The plan of a repair: a list of changes, each with its reason. `--dry-run` prints it, `apply` carries it
// out, a receipt records it.
import { formatNumber } from './format-number.ts'

export type Change = Patch | RemoveFile | WriteFile | RowChange | RebuildDatabase

export interface Why {
  /** The class of damage that requires this change. */
  damage: string
  /** Imperative: "Reconnect 1 message to the one before it". */
  reason: string
  /**
   * The reason for several changes, with `{count}` for their number. If absent, the reason and the count are
   * printed.
   */
  reasonOfMany?: string
  /** More about this one change, such as its byte offset. */
  detail?: string
}

/** Replaces the bytes from `start` to `end`. An insertion if they are equal. */
export interface ByteEdit extends Why {
  start: number
  end: number
  bytes: Buffer
  /**
   * The replaced bytes as they were when planned. With them, the plan still fits a file that has grown since.
   */
  old?: Buffer
}

/** Edits in the coordinates of the present file, sorted and without overlaps. */
export interface Patch {
  type: 'patch'
  file: string
  edits: ByteEdit[]
}

/** Moves a whole file into the vault. */
export interface RemoveFile extends Why {
  type: 'remove'
  file: string
  /** The file is a database, or belongs to one: no process may have it open. */
  isDatabase?: boolean
}

/** Writes a file that does not exist or cannot be used. */
export interface WriteFile extends Why {
  type: 'write'
  file: string
  bytes: Buffer
  /**
   * For a new file: its modification time in nanoseconds since 1970, and its mode. Default: now, and 0600.
   */
  modifiedNs?: bigint
  mode?: number
}

export type SqlValue = null | number | bigint | string | Uint8Array

/** Changes one row, found by its key columns. All row changes of a database are one transaction. */
export interface RowChange extends Why {
  type: 'row'
  file: string
  table: string
  key: Record<string, SqlValue>
  change:
    | { type: 'update'; set: Record<string, SqlValue> }
    | { type: 'delete' }
    /** The row must not exist. The values are exact: an integer among them is a bigint. */
    | { type: 'insert'; values: Record<string, SqlValue> }
  /** The column's text as it was when planned. A row that has changed since is left alone. */
  expect?: Record<string, SqlValue>
}

/**
 * Copies every readable row into a new database with the same schema. It replaces the old one only when no
 * process has that open.
 */
export interface RebuildDatabase extends Why {
  type: 'rebuild-database'
  file: string
  /** Statements that restore lost rows from other tables of the same database. */
  fills?: readonly string[]
}

/** A change that a store proposes. The damage that asked for it adds its name. */
export type ProposedChange = Omit<RemoveFile, 'damage'> | ProposedRow
export type ProposedRow = Omit<RowChange, 'damage'>

/** A problem that is not changed, and why. */
export interface Refusal extends Why {
  file: string
}

export interface CountedReason {
  damage: string
  text: string
  edits: number
}

/** Each reason once, worded for all changes that have it, the most frequent first. */
export function countReasons(changes: readonly Change[]): CountedReason[] {
  const found = new Map<string, Why & { edits: number }>()
  for (const change of changes)
    for (const why of isPatch(change) ? change.edits : [change]) {
      const key = `${why.damage}\n${why.reason}`
      found.set(key, { ...why, edits: (found.get(key)?.edits ?? 0) + 1 })
    }
  const counted = [...found.values()].map(why => ({ damage: why.damage, text: wordsFor(why), edits: why.edits }))
  return counted.sort((a, b) => b.edits - a.edits)
}

function wordsFor({ reason, reasonOfMany, edits }: Why & { edits: number }): string {
  if (edits === 1) return reason
  const count = formatNumber(edits)
  return reasonOfMany === undefined ? `${reason} (${count} times)` : reasonOfMany.replace('{count}', count)
}

export function isPatch(change: Change): change is Patch {
  return change.type === 'patch'
}

/** The files that a plan writes, moves or removes. */
export function plannedFiles(changes: readonly Change[]): string[] {
  return [...new Set(changes.map(change => change.file))]
}
