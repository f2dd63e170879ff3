// What goes between the server and a thread that reads. Plain data alone.
import type { ContextPlaces } from '../../catalog/context.ts'
import type { ErrorDetails } from '../../model/errors.ts'
import type { Place } from '../../model/message.ts'
import type { ReadingEnd } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Batch } from './message-index.ts'

export interface WorkerSetUp extends ContextPlaces {
  logLevel?: string
  busyMs?: number
}

export interface ReadOrder {
  session: SessionRef
  branch?: string
  /** The file to write to, and the place from which on nothing is in use. */
  spool: { path: string; end: number }
  after?: SpooledCheckpoint
  /** A folder of ours, where the end of the file is to be read ahead. */
  tailIn?: string
}

/** Where in the spool the checkpoint lies: with the last message in it, it can be large. */
export interface SpooledCheckpoint {
  start: number
  length: number
  /** The byte of the session's file where it goes on. */
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

export interface RecordDone {
  bytes: Uint8Array
  isCut: boolean
}

export type Order =
  | { type: 'read'; id: number; order: ReadOrder }
  | { type: 'record'; id: number; order: RecordOrder }
  | { type: 'stop'; id: number }

export type Answer =
  /** The last messages, as JSON, while all of them are still being read. */
  | { type: 'tail'; id: number; messages: string[] }
  | { type: 'batch'; id: number; batch: Batch }
  | { type: 'read'; id: number; done: ReadDone }
  | { type: 'record'; id: number; done: RecordDone }
  | { type: 'failed'; id: number; error: ErrorDetails }
