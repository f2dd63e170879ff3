// How one change is carried out, checked after a crash, and rolled back. Each kind of change implements this.
import type { Patch, RebuildDatabase, RemoveFile, RowChange, Why, WriteFile } from '../../../model/plan.ts'
import type { CopiedAhead } from '../copy-ahead.ts'
import type { DatabaseWriters } from '../database-writer.ts'
import type { Fit } from '../plan-fit.ts'
import type { FileBefore, StoredChange } from '../receipt.ts'
import type { Vault } from '../vault.ts'

/** All row changes of one database together: they are one transaction. */
export interface RowChanges {
  type: 'rows'
  file: string
  changes: RowChange[]
}

/** A file rewritten like `WriteFile`, from a stored copy that may be larger than memory. */
export interface CopyIn extends Why {
  type: 'copy-in'
  file: string
  from: string
  size: number
  sha256: string
  /** An existing file gets the current time, like a missing one. Default: it keeps its time. */
  isTouched?: boolean
  /** For a missing file; an existing one keeps its owner and mode. */
  owner: { uid: number; gid: number; mode: number }
}

/**
 * A file made of content that is read once and verifies itself, such as that of the archive, which stays
 * there. The memory of each piece is released after it was written.
 */
export interface StreamIn extends Why, Pick<CopyIn, 'file' | 'size' | 'isTouched' | 'owner'> {
  type: 'stream-in'
  read(): AsyncIterable<Buffer>
}

/**
 * A file, a folder or a link that gets another name. The name must be free. A folder may move to another
 * disk.
 */
export interface Move extends Why {
  type: 'move'
  file: string
  to: string
  /** A file that takes its old name. */
  instead?: NewFile
}

export interface NewFile {
  bytes: Buffer
  /** Nanoseconds since 1970. Default: now. */
  modifiedNs?: bigint
  /** Default: 0600. */
  mode?: number
}

export type StepInput = Patch | RemoveFile | WriteFile | CopyIn | StreamIn | Move | RowChanges | RebuildDatabase

export interface StepContext {
  vault: Vault
  /** The index of this change in the receipt. */
  index: number
  databases: DatabaseWriters
  /** The copy of a file that was made before the plan was complete. */
  ahead?: CopiedAhead
  /**
   * Called right before the first step that other programs can see; with false if they could not see it after
   * all.
   */
  touch(isTouched?: boolean): void
  /** Called when the bytes of a change in place are written, while the disk stores them. Changes nothing. */
  whileSyncing?(): Promise<void>
  /** Adds a note to the receipt. */
  note(text: string): void
}

/** `between`: started, and neither done nor as it was. `other`: another program has changed it since. */
export type ChangeState = { at: 'before' | 'after' | 'between' } | { at: 'other'; text: string }

export interface ChangeStep<S extends StoredChange, W extends StepInput> {
  /** Copies and records everything that a roll-back needs. Changes nothing outside the vault. */
  prepare(context: StepContext, input: W, fit: Fit): Promise<S>
  apply(context: StepContext, stored: S, input: W): Promise<void>
  /** Cleans up after an interruption, then returns the state. May be called at any time, and repeatedly. */
  inspect(context: StepContext, stored: S): Promise<ChangeState>
  /**
   * For a change in the state `after` or `between`. Keeps what was appended since. May be called again after
   * an interruption.
   */
  revert(context: StepContext, stored: S): Promise<void>
  /** Throws `undo-conflict` where another program has changed what rethread wrote. Writes nothing. */
  assertUndoable(context: StepContext, stored: S): Promise<void>
  /**
   * Completes what a crash may have left undone of a change in the state `after`, or of one that was rolled
   * back to `before`.
   */
  finish(context: StepContext, stored: S): Promise<void>
  /** The files that existed before. */
  filesBefore(stored: S): FileBefore[]
}
