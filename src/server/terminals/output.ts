// Sends the output of one terminal to its clients: batched, stored for later clients, and not faster than the
// slowest client reads.
import { isRunning } from '../../disk/processes/process-identity.ts'
import { CONGESTION_POLL_MS, OUTPUT_PAUSE_MS, OUTPUT_PIECE_CHARS } from '../limits.ts'
import { OutputBuffer } from './output-buffer.ts'
import type { Pty } from './pty.ts'

export interface OutputTarget {
  /** Sends to all clients. */
  send(text: string): void
  isCongested(): boolean
}

export class TerminalOutput {
  readonly #pty: Pick<Pty, 'pid' | 'pause' | 'resume'>
  readonly #target: OutputTarget
  readonly #kept: OutputBuffer
  #unsent: string[] = []
  #unsentChars = 0
  #timer: NodeJS.Timeout | undefined
  #poll: NodeJS.Timeout | undefined
  #isHeldBack = true

  constructor(pty: Pick<Pty, 'pid' | 'pause' | 'resume'>, target: OutputTarget, keptChars: number) {
    this.#pty = pty
    this.#target = target
    this.#kept = new OutputBuffer(keptChars)
  }

  add(text: string): void {
    this.#unsent.push(text)
    this.#unsentChars += text.length
    if (this.#unsentChars >= OUTPUT_PIECE_CHARS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), OUTPUT_PAUSE_MS)
  }

  /** Sends pending output. A client that attaches afterwards gets it with the screen. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#unsentChars === 0) return
    const text = this.#unsent.join('')
    this.#unsent = []
    this.#unsentChars = 0
    this.#kept.add(text)
    this.#target.send(text)
    if (this.#isHeldBack && this.#poll === undefined && this.#target.isCongested()) this.#hold()
  }

  screen(): { screen: string; isCut: boolean } {
    this.flush()
    return this.#kept.screen()
  }

  /** Stops pausing, so that an ending program can write its last output even with slow clients. */
  letGo(): void {
    this.#isHeldBack = false
    this.#release()
  }

  #hold(): void {
    this.#pty.pause()
    this.#poll = setInterval(() => {
      // After the process has ended, its last output is lost with the PTY unless it is read at once.
      if (!this.#target.isCongested() || !isRunning(this.#pty.pid)) this.#release()
    }, CONGESTION_POLL_MS)
  }

  #release(): void {
    if (this.#poll === undefined) return
    clearInterval(this.#poll)
    this.#poll = undefined
    this.#pty.resume()
  }
}
