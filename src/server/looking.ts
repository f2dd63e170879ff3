// Agents begin conversations while the server runs: as long as anybody looks at it, it looks at their stores anew now and then.
import type { Checks } from './checks/index.ts'
import { FIRST_LOOK_MS, LOOK_AGAIN_MS } from './limits.ts'
import type { Sessions } from './sessions/index.ts'

export interface LookingOptions {
  sessions: Pick<Sessions, 'refresh'>
  checks: Pick<Checks, 'start'>
  /** Somebody is connected. */
  isWatched(): boolean
  isStopping(): boolean
  /** After the first look. */
  onFound(): void
}

export interface Looking {
  /** The first look has ended. */
  readonly hasFound: boolean
  /** Somebody asks: looks, where the last look is not fresh. Nobody waits for it. */
  lookAgain(): void
  start(): void
  stop(): void
}

export function makeLooking({ sessions, checks, isWatched, isStopping, onFound }: LookingOptions): Looking {
  let isLooking = false
  let hasFound = false
  let lastAt = Number.NEGATIVE_INFINITY
  const look = async (): Promise<void> => {
    isLooking = true
    try {
      await sessions.refresh()
    } finally {
      lastAt = performance.now()
      isLooking = false
    }
    const isFirst = !hasFound
    hasFound = true
    if (isStopping()) return
    checks.start()
    if (isFirst) onFound()
  }
  const lookAgain = (): void => {
    if (!isLooking && !isStopping() && performance.now() - lastAt >= LOOK_AGAIN_MS) void look()
  }
  let first: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
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
    },
    stop() {
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}
