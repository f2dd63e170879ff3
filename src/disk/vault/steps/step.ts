// How one change is carried out, looked at after a crash, and taken back. Each kind of change is one of these.
import type { Patch, RebuildDatabase, RemoveFile, RowChange, Why, WriteFile } from '../../../model/plan.ts'
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

/** A file rewritten, as `WriteFile`, from a copy that we keep and that may be larger than memory. */
export interface CopyIn extends Why {
  type: 'copy-in'
  file: string
  from: string
  size: number
  sha256: string
  /** Of a file that is not there any more; one that is there keeps its own. */
  owner: { uid: number; gid: number; mode: number }
}

/** Something that gets another name, whatever it is: a file, a folder or a link. The name must be free; that of a folder may be on another disk. */
export interface Move extends Why {
  type: 'move'
  file: string
  to: string
  /** A file that takes its old name. */
  instead?: NewFile
}

export interface NewFile {
  bytes: Buffer
  /** Nanoseconds since 1970; absent: now. */
  modifiedNs?: bigint
  /** Absent: 0600. */
  mode?: number
}

export type Work = Patch | RemoveFile | WriteFile | CopyIn | Move | RowChanges | RebuildDatabase

export interface Place {
  vault: Vault
  /** Which of the receipt's changes this is. */
  index: number
  databases: DatabaseWriters
  /** Called right before the first thing that others could see; with false, where it turned out that they could not. */
  touch(isTouched?: boolean): void
  /** Tells something that the receipt should keep. */
  note(text: string): void
}

/** `between`: begun, and neither done nor as it was. `other`: somebody else has changed it since. */
export type ChangeState = { at: 'before' | 'after' | 'between' } | { at: 'other'; text: string }

export interface Step<S extends StoredChange, W extends Work> {
  /** Copies and writes down whatever is needed to take it back. Changes nothing outside the vault. */
  prepare(place: Place, work: W, fit: Fit): Promise<S>
  apply(place: Place, stored: S, work: W): Promise<void>
  /** Tidies up after an interruption, then says where things stand. May be called at any time, and again. */
  look(place: Place, stored: S): Promise<ChangeState>
  /** For a change that stands `after` or `between`. Keeps what was appended since. May be called again where it was interrupted. */
  revert(place: Place, stored: S): Promise<void>
  /** Throws `undo-conflict` where others have changed what we wrote. Writes nothing. */
  assertUndoable(place: Place, stored: S): Promise<void>
  /** What a crash may have left undone of a change that stands `after`, or of one that was taken back and stands `before`. */
  finish(place: Place, stored: S): Promise<void>
  /** The files that were there before. */
  filesBefore(stored: S): FileBefore[]
}
