// Copies a large file into the vault while its repair is still being planned. Nothing else is changed, and what is not
// used is removed again.
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { identityOf } from '../files/read.ts'
import { files } from '../files/system-calls.ts'
import { fromSystemError } from '../files/system-errors.ts'
import { type Lock, lockSession } from '../processes/session-lock.ts'
import { removeIfThere } from '../state/own-files.ts'
import { backupName } from './backup.ts'
import type { CopyOrder } from './copy-file.ts'
import { assertSpace } from './free-space.ts'
import { hasUnfinished } from './unfinished.ts'
import { discardVault, openVault, type Vault } from './vault.ts'

export interface AheadSubject {
  /** The state folder. */
  state: string
  agent: string
  sessionId: string
  filePath: string
}

/** A vault that is open and locked, with a copy on its way. The owner must call `release` or `discard`. */
export class CopiedAhead {
  readonly vault: Vault
  readonly bytes: number
  readonly #path: string
  readonly #name: string
  readonly #lock: Lock
  readonly #stats: BigIntStats
  readonly #thread: CopyThread
  /** Whether it succeeded. */
  readonly #copying: Promise<boolean>

  constructor(vault: Vault, lock: Lock, path: string, stats: BigIntStats, thread: CopyThread) {
    const { device, inode, size } = identityOf(stats)
    this.vault = vault
    this.bytes = size
    this.#lock = lock
    this.#path = path
    this.#name = backupName(FIRST_CHANGE, path)
    this.#stats = stats
    this.#thread = thread
    const order = { path, device, inode, size, copy: join(vault.folder, this.#name) }
    // What is wrong is reported when the file is copied again.
    this.#copying = thread.copy(order).then(
      () => true,
      () => false,
    )
  }

  /**
   * Of a file that was copied as it is now: a write changes the mark of a file. Otherwise undefined, and there is
   * no copy.
   */
  async copied(path: string, name: string): Promise<BigIntStats | undefined> {
    const isCopied = await this.#copying
    const now = statIfThere(path)
    const isSame = now !== undefined && identityOf(now).mark === identityOf(this.#stats).mark
    if (isCopied && isSame && path === this.#path && name === this.#name) return this.#stats
    removeIfThere(join(this.vault.folder, this.#name))
    return undefined
  }

  /** Of a copy in the vault. Undefined where the thread could not hash it. */
  async hash(name: string, size: number): Promise<string | undefined> {
    return await this.#thread.hash(join(this.vault.folder, name), size).catch(() => undefined)
  }

  /** Waits until nothing is written to the vault any more. */
  async settle(): Promise<void> {
    await this.#copying
  }

  /** When the repair has ended. */
  release(): void {
    this.#lock.release()
  }

  /** For a repair that has changed nothing. */
  async discard(): Promise<void> {
    try {
      await this.settle()
      discardVault(this.vault.state, this.vault.folder)
    } finally {
      this.release()
    }
  }
}

/** Another thread, which copies a file that is not a database. */
export interface CopyThread {
  /** In the end the copy is on the disk, and has been compared with the file. */
  copy(order: CopyOrder): Promise<void>
  /** Hashes the first bytes of a file. Undefined where there are fewer. */
  hash(path: string, size: number): Promise<string | undefined>
}

/** The file of the session is the first that its plan changes. */
const FIRST_CHANGE = 0

/** Undefined where this is not possible now. The repair itself then says why. */
export function copyAhead(subject: AheadSubject, thread: CopyThread): CopiedAhead | undefined {
  const { state, filePath } = subject
  let lock: Lock | undefined
  try {
    const path = realPath(filePath)
    const stats = statIfThere(path)
    if (stats?.isFile() !== true || hasUnfinished(state)) return undefined
    assertSpace([{ folder: state, bytes: Number(stats.size) }])
    lock = lockSession(state, subject)
    const { agent, sessionId } = subject
    const vault = openVault(state, { agent, sessionId, filePath, databases: [] })
    return new CopiedAhead(vault, lock, path, stats, thread)
  } catch (error) {
    lock?.release()
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

function realPath(path: string): string {
  try {
    return files().realpath(path)
  } catch (error) {
    throw fromSystemError(error, path)
  }
}
