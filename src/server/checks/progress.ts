// How far the check of everything has come: each session counts once, whoever asked for it.
import type { SessionRef } from '../../model/session.ts'
import type { Progress } from '../protocol.ts'
import { keyOfSession } from '../sessions/index.ts'

/** Often enough to look alive, seldom enough to cost nothing with thousands of sessions a second. */
const TELL_MS = 200

type Named = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>

export class CheckProgress {
  readonly #tell: (progress: Progress) => void
  readonly #left = new Map<string, number>()
  #total = 0
  #bytesTotal = 0
  #bytesLeft = 0
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (progress: Progress) => void) {
    this.#tell = tell
  }

  get current(): Progress {
    return {
      phase: this.#left.size === 0 ? 'done' : 'checking',
      done: this.#total - this.#left.size,
      total: this.#total,
      bytesDone: this.#bytesTotal - this.#bytesLeft,
      bytesTotal: this.#bytesTotal,
    }
  }

  /** Counting begins anew, unless some of those before are left: then these come on top. */
  expect(sessions: readonly SessionRef[]): void {
    if (this.#left.size === 0) [this.#total, this.#bytesTotal, this.#bytesLeft] = [0, 0, 0]
    for (const session of sessions) {
      const key = keyOfSession(session)
      if (this.#left.has(key)) continue
      this.#left.set(key, session.fileSize)
      this.#total++
      this.#bytesTotal += session.fileSize
      this.#bytesLeft += session.fileSize
    }
    this.#tellSoon()
  }

  add(session: Named): void {
    const key = keyOfSession(session)
    const bytes = this.#left.get(key)
    if (bytes === undefined) return
    this.#left.delete(key)
    this.#bytesLeft -= bytes
    this.#tellSoon()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#tell(this.current)
    }, TELL_MS)
  }
}
