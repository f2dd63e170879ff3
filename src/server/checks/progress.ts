// How far the check of everything has come: each session counts once, whoever asked for it.
import type { SessionRef } from '../../model/session.ts'
import { sharedBytes } from '../../model/shared-bytes.ts'
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
      bytesDone: Math.round(this.#bytesTotal - this.#bytesLeft),
      bytesTotal: Math.round(this.#bytesTotal),
    }
  }

  /** These of all are to be checked, or checked again; the others count as done. */
  expect(due: readonly SessionRef[], all: readonly SessionRef[]): void {
    const share = sharedBytes(all)
    this.#total = all.length
    this.#bytesTotal = all.reduce((sum, session) => sum + share(session), 0)
    for (const session of due) this.#left.set(keyOfSession(session), share(session))
    this.#bytesLeft = [...this.#left.values()].reduce((sum, bytes) => sum + bytes, 0)
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
