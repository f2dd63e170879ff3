// What a repair would do, before anything is done: a list of changes, each with its reason. `--dry-run` prints it, `apply` carries it out, a receipt keeps it.

export type Change = Patch | RemoveFile | WriteFile | RowChange | RebuildDatabase

export interface Why {
  /** The class of damage that asks for this change. */
  damage: string
  reason: string
}

/** Replaces the bytes from `start` to `end` (an insertion where they are equal). */
export interface ByteEdit extends Why {
  start: number
  end: number
  bytes: Buffer
  /** The bytes it replaces, as they were when planned. With them the plan still fits a file that has grown since; without them it does not. */
  old?: Buffer
}

/** Edits in the coordinates of the file as it is, sorted, none overlapping another. */
export interface Patch {
  type: 'patch'
  file: string
  edits: ByteEdit[]
}

/** A file that must no longer lie where it is: it goes into the vault whole. */
export interface RemoveFile extends Why {
  type: 'remove'
  file: string
  /** The file is a database, or belongs to one: nobody may hold it open. */
  isDatabase?: boolean
}

/** A file that is written anew, as it does not exist or cannot be used. */
export interface WriteFile extends Why {
  type: 'write'
  file: string
  bytes: Buffer
  /** Of a file that is not there yet: when it counts as written, in nanoseconds since 1970, and who may read it. Absent: now, and 0600. */
  modifiedNs?: bigint
  mode?: number
}

export type SqlValue = null | number | bigint | string | Uint8Array

/** One row, found by its key columns. Carried out in one transaction with all others for the same database. */
export interface RowChange extends Why {
  type: 'row'
  file: string
  table: string
  key: Record<string, SqlValue>
  change: { type: 'update'; set: Record<string, SqlValue> } | { type: 'delete' }
  /** The text of a column as it was when planned: a row that has changed since is left alone. */
  expect?: Record<string, SqlValue>
}

/** Every readable row into a new database with the same schema, swapped in only when nobody holds the old one. */
export interface RebuildDatabase extends Why {
  type: 'rebuild-database'
  file: string
  /** Statements that put in again, where rows were lost, what other tables of the same database still tell. */
  fills?: readonly string[]
}

/** Something wrong that is not changed, and why. */
export interface Refusal extends Why {
  file: string
}

export function isPatch(change: Change): change is Patch {
  return change.type === 'patch'
}

/** The databases a plan writes to or moves: whoever carries it out must know that nobody has them open. */
export function filesOf(changes: readonly Change[]): string[] {
  return [...new Set(changes.map(change => change.file))]
}
