// What the server and a thread that reads send to each other: plain data only.
import type { Place } from '../../model/message.ts'
import type { ReadingEnd } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { SpoolBatch } from './message-index.ts'

export interface ReadOrder {
  session: SessionRef
  branch?: string
  /** The file to write to, and the offset after its used bytes. */
  spool: { path: string; end: number }
  after?: SpooledCheckpoint
  /** A folder of rethread for the end of the file, which is read ahead. */
  tailIn?: string
}

/** Where the checkpoint is in the spool. It holds the last message, so it can be large. */
export interface SpooledCheckpoint {
  start: number
  length: number
  /** The byte of the session's file where the next reading continues. */
  offset: number
}

export interface ReadDone {
  /** Without its checkpoint. */
  end: ReadingEnd
  checkpoint?: SpooledCheckpoint
  spoolEnd: number
}

export interface RecordOrder {
  session: SessionRef
  place: Place
}

/** For a session that is read from the archive. */
export interface BytesOrder {
  session: SessionRef
  start: number
  end: number
}

export interface RecordDone {
  bytes: Uint8Array
  isCut: boolean
}

/** `tail`: the last messages, as JSON, while all of them are still being read. */
export type ReadProgress = { tail: string[] } | { batch: SpoolBatch }
