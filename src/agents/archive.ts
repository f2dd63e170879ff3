// What a store declares so that its sessions can be archived whole, and restored so that the agent finds
// them. Types only. Absent parts have a default by the store's framing.
import type { RowsOfTable } from '../disk/sqlite/session-rows.ts'
import type { SessionRef } from '../model/session.ts'
import type { Environment } from './environment.ts'

export interface StoreArchive {
  /** Files beside the session that the agent needs to resume it in full. They need not exist. */
  beside?(session: SessionRef, environment: Environment): SideFile[]
  /** For a database: which of its rows belong to the session. */
  rows?(session: SessionRef): RowSource
  /** The rows hold everything of a session, so it is whole when they are put back where they were. */
  canPutRows?: true
  /** The rows of a session in a database beside its file, such as an index. */
  index?(session: SessionRef): RowSource | undefined
  /** The folders in which files of a session may be restored, in addition to the store's own. */
  folders?(environment: Environment): string[]
  /**
   * What a file that sessions share lacks for this session and had when it was archived: bytes to be
   * inserted. Undefined where nothing is missing.
   */
  lostEntry?(
    shared: { path: string; present: Buffer; archived: Buffer },
    session: SessionRef,
  ): { at: number; bytes: Buffer } | undefined
  /**
   * The content with the current time, for an agent that deletes sessions by a time inside the file. `now`
   * is an ISO time. Nothing else may change.
   */
  refresh?(content: Buffer, now: string): Buffer
  /** How a session gets a new id, to be restored beside the present one. Absent if it cannot have another. */
  renew?(session: Pick<SessionRef, 'sessionId'>): RenewedId
}

export interface RenewedId {
  sessionId: string
  /** Replaced in the content of its files and in the names of their paths. Both have the same length. */
  replace: { from: string; to: string; isOnlyInPath?: boolean }[]
}

export interface SideFile {
  path: string
  kind: 'log' | 'document'
  /** Other sessions use it too: it is restored only where it is missing, or the entry of the session is. */
  isShared?: boolean
}

export interface RowSource {
  /** The database. */
  file: string
  root: string
  tables: RowsOfTable[]
}
