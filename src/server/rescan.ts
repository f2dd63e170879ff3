// Rescans the stores regularly while a client is connected, because agents start conversations while the
// server runs.
import { statIfThere } from '../disk/files/handles.ts'
import type { Checks } from './checks/index.ts'
import { DELETED_POLL_MS, FIRST_SCAN_DELAY_MS, RESCAN_MS } from './limits.ts'
import type { SessionCatalog } from './sessions/index.ts'

export interface RescanOptions {
  sessions: Pick<SessionCatalog, 'refresh' | 'get' | 'renew'>
  checks: Pick<Checks, 'start'>
  /** Whether a client is connected. */
  isWatched(): boolean
  isStopping(): boolean
  /** Called after the first scan. */
  onFound(): void
  /** The keys of the sessions that clients show. Deleted files of these are noticed soon. */
  shown(): Iterable<string>
}

export interface Rescan {
  /** Whether the first scan has ended. */
  readonly hasFound: boolean
  /** Starts a scan in the background if the last one is too old. */
  rescanIfStale(): void
  start(): void
  stop(): void
}

export function makeRescan(options: RescanOptions): Rescan {
  const { sessions, checks, isWatched, isStopping, onFound } = options
  let isScanning = false
  let hasFound = false
  let lastAt = Number.NEGATIVE_INFINITY
  const scan = async (): Promise<void> => {
    isScanning = true
    try {
      await sessions.refresh()
    } finally {
      lastAt = performance.now()
      isScanning = false
    }
    const isFirst = !hasFound
    hasFound = true
    if (isStopping()) return
    checks.start()
    if (isFirst) onFound()
  }
  const rescanIfStale = (): void => {
    if (!isScanning && !isStopping() && performance.now() - lastAt >= RESCAN_MS) void scan()
  }
  const pollDeleted = makePollDeleted(options)
  let first: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  let deleted: NodeJS.Timeout | undefined
  return {
    get hasFound() {
      return hasFound
    },
    rescanIfStale,
    start() {
      first = setTimeout(() => void scan(), FIRST_SCAN_DELAY_MS)
      timer = setInterval(() => {
        if (isWatched()) rescanIfStale()
      }, RESCAN_MS / 4)
      timer.unref()
      deleted = setInterval(pollDeleted, DELETED_POLL_MS)
      deleted.unref()
    },
    stop() {
      clearTimeout(first)
      clearInterval(timer)
      clearInterval(deleted)
    },
  }
}

/**
 * If a file is missing, asks the store once whether the session is gone: it may have lost only one of its
 * files.
 */
function makePollDeleted({ sessions, shown, isStopping }: RescanOptions): () => void {
  let without = new Set<string>()
  return () => {
    if (isStopping()) return
    const keys = [...shown()].filter(key => {
      const session = sessions.get(key)?.session
      return session !== undefined && session.archived === undefined && statIfThere(session.filePath) === undefined
    })
    for (const key of keys) if (!without.has(key)) void sessions.renew(key).catch(() => without.delete(key))
    without = new Set(keys)
  }
}
