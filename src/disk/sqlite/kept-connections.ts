// Connections that stay open between two readings of one database: to open it takes longer than to read a short session.
import type { DatabaseSync } from 'node:sqlite'
import { holdDescriptors } from './database-files.ts'

/** A connection in a transaction while it is used, and what was prepared for it. */
export interface Connection<Prepared> {
  database: DatabaseSync
  prepared: Prepared
  close(): void
}

export class KeptConnections<Prepared> {
  #callers = 0
  /** The path that was asked for last. Those of other paths are closed: a store may have thousands of databases. */
  #path = ''
  #idle: { state: string; connection: Connection<Prepared> }[] = []

  /** Until `use` ends, connections may stay open. */
  async during<T>(use: () => Promise<T>): Promise<T> {
    this.#callers++
    try {
      return await use()
    } finally {
      this.#callers--
      if (this.#callers === 0) this.#closeAll()
    }
  }

  /** `state` is equal only as long as the database is unchanged and would be opened in the same way. */
  take(path: string, state: string, open: () => Connection<Prepared>): Connection<Prepared> {
    if (path !== this.#path) this.#closeAll()
    const found = this.#idle.pop()
    if (found?.state === state) return found.connection
    found?.connection.close()
    return open()
  }

  /** After a reading that came to its end. A path that is asked for once is not kept. */
  give(path: string, state: string, connection: Connection<Prepared>): void {
    const isRepeated = path === this.#path
    this.#path = path
    if (this.#callers === 0 || !isRepeated) {
      connection.close()
      return
    }
    connection.database.exec('COMMIT')
    this.#idle.push({ state, connection })
  }

  #closeAll(): void {
    for (const { connection } of this.#idle.splice(0)) connection.close()
  }
}

/** Opens a connection that takes locks. */
export function openConnection<Prepared>(
  open: () => DatabaseSync,
  prepare: (database: DatabaseSync) => Prepared,
): Connection<Prepared> {
  const release = holdDescriptors()
  let database: DatabaseSync | undefined
  const close = (): void => {
    database?.close()
    release()
  }
  try {
    database = open()
    return { database, prepared: prepare(database), close }
  } catch (error) {
    close()
    throw error
  }
}
