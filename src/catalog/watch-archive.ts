// Keeps the archive up to date while agents write. A burst of writes becomes one copy, and after each copy there
// is a pause of fifty times the processor time that it took: at most two percent of one core.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from '../agents/agent.ts'
import { locationsOf } from '../agents/store.ts'
import type { FoundAll, PassResult } from '../archive/pass.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { identityOf } from '../disk/files/read.ts'
import { watchFolders } from '../disk/files/watch-folders.ts'
import { holderOfLock, type Lock, lockFile } from '../disk/processes/session-lock.ts'
import { makeFolder } from '../disk/state/own-files.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import { archiveFound, WATCH_LOCK } from './archive.ts'
import type { Context } from './context.ts'
import { findSessions } from './find-all.ts'

/** Writes within this time become one copy. */
export const SETTLE_MS = 2000
const STAND_BY_MS = 2000
/** Everything is scanned this often, for what no event announced. */
const SCAN_MS = 15 * 60 * 1000
/** The pause after a copy, in units of the processor time that it took. */
const PAUSE_FACTOR = 49
const MAX_PAUSE_MS = 10 * 60 * 1000

export interface WatchHandlers {
  /** Another process does it. This one takes over when that ends. */
  onStandBy?(pid: number | undefined): void
  onStart?(): void
  onPass?(result: PassResult): void
  /** The next copy tries again. */
  onFailure?(error: RethreadError): void
}

export interface Watching {
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>
}

export function watchArchive(context: Context, handlers: WatchHandlers = {}): Watching {
  const stopper = new AbortController()
  const done = run(context, handlers, stopper.signal)
  return {
    async stop() {
      stopper.abort()
      await done
    },
  }
}

async function run(context: Context, handlers: WatchHandlers, signal: AbortSignal): Promise<void> {
  const lock = await takeRole(context, handlers, signal)
  if (lock === undefined) return
  try {
    handlers.onStart?.()
    await new Watcher(context, handlers, signal).run()
  } finally {
    lock.release()
  }
}

/** Undefined where it was stopped before the other process ended. */
async function takeRole(context: Context, handlers: WatchHandlers, signal: AbortSignal): Promise<Lock | undefined> {
  const path = join(makeFolder(context.archive), WATCH_LOCK)
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const lock = lockFile(path)
    if (lock !== undefined) return lock
    if (isFirst) handlers.onStandBy?.(holderOfLock(path))
    await pause(STAND_BY_MS, signal)
  }
  return undefined
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: true }).catch(() => undefined)
}

class Watcher {
  readonly #context: Context
  readonly #handlers: WatchHandlers
  readonly #signal: AbortSignal
  readonly #agents: Agent[]
  /** The sessions that are one file, by its path. */
  readonly #known = new Map<string, SessionRef>()
  readonly #changedFiles = new Set<string>()
  readonly #changedAgents = new Set<string>()
  #scannedAt = Number.NEGATIVE_INFINITY
  #wake: (() => void) | undefined
  /** The folders of all stores that exist, with their agents. */
  #roots = new Map<string, Set<string>>()

  constructor(context: Context, handlers: WatchHandlers, signal: AbortSignal) {
    this.#context = context
    this.#handlers = handlers
    this.#signal = signal
    this.#agents = context.agents.filter(({ isJournal }) => isJournal !== true)
  }

  async run(): Promise<void> {
    const watch = watchFolders((folder, path) => this.#note(folder, path))
    try {
      while (!this.#signal.aborted) {
        this.#roots = this.#findRoots()
        watch.add([...this.#roots.keys()])
        const before = process.cpuUsage()
        const isPassed = await this.#copy()
        const { user, system } = process.cpuUsage(before)
        const usedMs = (user + system) / 1000
        await pause(Math.min(MAX_PAUSE_MS, Math.max(SETTLE_MS, isPassed ? usedMs * PAUSE_FACTOR : 0)), this.#signal)
        if (this.#changedFiles.size + this.#changedAgents.size === 0) await this.#nextChange()
      }
    } finally {
      watch.close()
    }
  }

  #findRoots(): Map<string, Set<string>> {
    const roots = new Map<string, Set<string>>()
    for (const agent of this.#agents)
      for (const { location } of locationsOf(agent, this.#context.environment))
        if (statIfThere(location.root, 'stat')?.isDirectory() === true)
          roots.set(location.root, (roots.get(location.root) ?? new Set()).add(agent.id))
    return roots
  }

  #note(folder: string, path: string | undefined): void {
    if (path !== undefined && this.#known.has(path)) this.#changedFiles.add(path)
    else for (const agent of this.#roots.get(folder) ?? []) this.#changedAgents.add(agent)
    this.#wake?.()
  }

  async #nextChange(): Promise<void> {
    const waitMs = Math.max(0, this.#scannedAt + SCAN_MS - performance.now())
    const wait = new AbortController()
    const woken = new Promise<void>(resolve => {
      this.#wake = resolve
    })
    await Promise.race([woken, pause(waitMs, AbortSignal.any([this.#signal, wait.signal]))])
    wait.abort()
    this.#wake = undefined
    // The rest of a burst.
    if (!this.#signal.aborted) await pause(SETTLE_MS, this.#signal)
  }

  /** Returns whether anything was examined. */
  async #copy(): Promise<boolean> {
    try {
      const found = await this.#find()
      if (found === undefined) return false
      const result = await archiveFound(this.#context, found, { isStopped: () => this.#signal.aborted })
      for (const { filePath } of result.pending) this.#changedFiles.add(filePath)
      this.#handlers.onPass?.(result)
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
      // A full disk, or another process that writes for long: everything is scanned again later.
      this.#scannedAt = Number.NEGATIVE_INFINITY
      this.#handlers.onFailure?.(error)
    }
    return true
  }

  /** What has changed since the last copy; undefined where nothing has. */
  async #find(): Promise<FoundAll | undefined> {
    const isScan = performance.now() - this.#scannedAt >= SCAN_MS
    const files = [...this.#changedFiles]
    this.#changedFiles.clear()
    const sessions: SessionRef[] = []
    for (const file of files) {
      const known = this.#known.get(file)
      const stats = statIfThere(file, 'stat')
      if (known !== undefined && stats === undefined) this.#changedAgents.add(known.agent)
      else if (known !== undefined && stats !== undefined) sessions.push(refreshed(known, identityOf(stats)))
    }
    const ids = new Set(this.#changedAgents)
    this.#changedAgents.clear()
    const agents = isScan ? this.#agents : this.#agents.filter(({ id }) => ids.has(id))
    if (agents.length === 0) {
      return sessions.length === 0 ? undefined : { sessions, failures: [], agents: this.#agents, isPart: true }
    }
    if (isScan) this.#scannedAt = performance.now()
    const found = await findSessions(this.#context, agents)
    for (const session of found.sessions) if (isOneFile(session)) this.#known.set(session.filePath, session)
    // Not in the same pass: sessions of an agent that was not scanned would count as missing.
    for (const { agent, filePath } of sessions)
      if (!agents.some(({ id }) => id === agent)) this.#changedFiles.add(filePath)
    return { ...found, agents }
  }
}

/** Its identity is that of the file, so that a change can be followed without a scan. */
function isOneFile({ identity, fileSize }: SessionRef): boolean {
  return /^\d+:\d+:(\d+):\d+:\d+$/.exec(identity)?.[1] === String(fileSize)
}

function refreshed(session: SessionRef, { mark, size, mtimeMs }: ReturnType<typeof identityOf>): SessionRef {
  return { ...session, identity: mark, fileSize: size, updatedAt: mtimeMs }
}
