// The progress of the background check. Each session counts once, even if it was also requested by a client.
import type { SessionRef } from '../../model/session.ts'
import { sharedBytes } from '../../model/shared-bytes.ts'
import type { Progress } from '../protocol.ts'
import { keyOfSession } from '../sessions/index.ts'

/** Smooth for the eye, and cheap with thousands of sessions a second. */
const PUBLISH_MS = 200

type Named = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath'>

export class CheckProgress {
  readonly #publish: (progress: Progress) => void
  readonly #left = new Map<string, number>()
  #total = 0
  #bytesTotal = 0
  #bytesLeft = 0
  #timer: NodeJS.Timeout | undefined

  constructor(publish: (progress: Progress) => void) {
    this.#publish = publish
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

  /** The sessions of `due` are to be checked, again or for the first time. The others count as done. */
  expect(due: readonly SessionRef[], all: readonly SessionRef[]): void {
    const share = sharedBytes(all)
    this.#total = all.length
    this.#bytesTotal = all.reduce((sum, session) => sum + share(session), 0)
    for (const session of due) this.#left.set(keyOfSession(session), share(session))
    this.#bytesLeft = [...this.#left.values()].reduce((sum, bytes) => sum + bytes, 0)
    this.#publishSoon()
  }

  add(session: Named): void {
    const key = keyOfSession(session)
    const bytes = this.#left.get(key)
    if (bytes === undefined) return
    this.#left.delete(key)
    this.#bytesLeft -= bytes
    this.#publishSoon()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #publishSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#publish(this.current)
    }, PUBLISH_MS)
  }
}
