// Agents begin conversations while the server runs: as long as anybody looks at it, it looks at their stores again now and then.
import { statIfThere } from '../disk/files/handles.ts'
import type { Checks } from './checks/index.ts'
import { DELETED_LOOK_MS, FIRST_LOOK_MS, LOOK_AGAIN_MS } from './limits.ts'
import type { Sessions } from './sessions/index.ts'

export interface RescanOptions {
  sessions: Pick<Sessions, 'refresh' | 'get' | 'renew'>
  checks: Pick<Checks, 'start'>
  /** Somebody is connected. */
  isWatched(): boolean
  isStopping(): boolean
  /** After the first look. */
  onFound(): void
  /** The keys of the sessions that clients show: that one of these is deleted is noticed soon. */
  shown(): Iterable<string>
}

export interface Rescan {
  /** The first look has ended. */
  readonly hasFound: boolean
  /** Somebody asks: looks, where the last look is not fresh. Nobody waits for it. */
  lookAgain(): void
  start(): void
  stop(): void
}

export function makeRescan(options: RescanOptions): Rescan {
  const { sessions, checks, isWatched, isStopping, onFound } = options
  let isScanning = false
  let hasFound = false
  let lastAt = Number.NEGATIVE_INFINITY
  const look = async (): Promise<void> => {
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
  const lookAgain = (): void => {
    if (!isScanning && !isStopping() && performance.now() - lastAt >= LOOK_AGAIN_MS) void look()
  }
  const lookForDeleted = makeLookForDeleted(options)
  let first: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  let deleted: NodeJS.Timeout | undefined
  return {
    get hasFound() {
      return hasFound
    },
    lookAgain,
    start() {
      first = setTimeout(() => void look(), FIRST_LOOK_MS)
      timer = setInterval(() => {
        if (isWatched()) lookAgain()
      }, LOOK_AGAIN_MS / 4)
      timer.unref()
      deleted = setInterval(lookForDeleted, DELETED_LOOK_MS)
      deleted.unref()
    },
    stop() {
      clearTimeout(first)
      clearInterval(timer)
      clearInterval(deleted)
    },
  }
}

/** The store says whether a session without its file is gone: some have lost only one of their files. Each is asked for once. */
function makeLookForDeleted({ sessions, shown, isStopping }: RescanOptions): () => void {
  let without = new Set<string>()
  return () => {
    if (isStopping()) return
    const keys = [...shown()].filter(key => {
      const path = sessions.get(key)?.session.filePath
      return path !== undefined && statIfThere(path) === undefined
    })
    for (const key of keys) if (!without.has(key)) void sessions.renew(key).catch(() => without.delete(key))
    without = new Set(keys)
  }
}
