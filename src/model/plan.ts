// What a repair would do, before anything is done: a list of changes, each with its reason. `--dry-run` prints it, `apply` carries it out, a receipt keeps it.

export type Change = Patch | RemoveFile | WriteFile | RowChange | RebuildDatabase

export interface Why {
  /** The class of damage that asks for this change. */
  damage: string
  /** As an instruction: "Reconnect 1 message to the one before it". */
  reason: string
  /** The same for several changes, with `{count}` in place of their number. Absent: the reason, and how often. */
  reasonOfMany?: string
  /** What else is known of this one change, such as a place in the bytes. */
  detail?: string
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

/** A file that is rewritten, as it does not exist or cannot be used. */
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

/** A change that a store proposes; the damage that asked for it puts its name to it. */
export type ProposedChange = Omit<RemoveFile, 'damage'> | ProposedRow
export type ProposedRow = Omit<RowChange, 'damage'>

/** Something wrong that is not changed, and why. */
export interface Refusal extends Why {
  file: string
}

export interface CountedReason {
  damage: string
  text: string
  edits: number
}

/** Each reason once, in words for all changes that have it; the most frequent first. */
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
  const count = edits.toLocaleString('en')
  return reasonOfMany === undefined ? `${reason} (${count} times)` : reasonOfMany.replace('{count}', count)
}

export function isPatch(change: Change): change is Patch {
  return change.type === 'patch'
}

/** The databases a plan writes to or moves: whoever carries it out must know that nobody has them open. */
export function filesOf(changes: readonly Change[]): string[] {
  return [...new Set(changes.map(change => change.file))]
}
