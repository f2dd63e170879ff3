// One PTY, with two additions to the package: input that never blocks the server, and signals by name.
import { constants } from 'node:os'
import { Duplex } from 'node:stream'
import type { IPty } from '@lydell/node-pty'
import { writeSome } from '../../disk/files/handles.ts'
import { RethreadError } from '../../model/errors.ts'
import type { FoundProgram } from '../../model/program.ts'
import { INPUT_RETRY_MS, MAX_UNREAD_INPUT_BYTES } from '../limits.ts'
import type { Size } from './index.ts'

export interface PtyOptions extends Size {
  folder: string
  variables: Record<string, string>
}

export interface Exit {
  code: number | null
  signal: string | null
}

/** The package supports the usual platforms only. Elsewhere the server runs without terminals. */
const loaded = await import('@lydell/node-pty').catch((error: unknown) => ({ error }))

export class Pty {
  readonly #pty: IPty
  /** Input that the program has not read yet. */
  #input: Buffer[] = []
  #inputBytes = 0
  #retry: NodeJS.Timeout | undefined
  #hasExited = false

  constructor(program: FoundProgram, { folder, variables, cols, rows }: PtyOptions) {
    if ('error' in loaded) throw notSupported(loaded.error)
    this.#pty = loaded.spawn(program.command, [...program.args], {
      name: variables['TERM'] ?? 'xterm-256color',
      cwd: folder,
      env: variables,
      cols,
      rows,
    })
    this.#pty.onExit(() => {
      this.#hasExited = true
      clearTimeout(this.#retry)
    })
  }

  get pid(): number {
    return this.#pty.pid
  }

  /** Called after all output. */
  onExit(listener: (exit: Exit) => void): void {
    this.#pty.onExit(({ exitCode, signal }) => listener(exitOf(exitCode, signal)))
  }

  onData(listener: (text: string) => void): void {
    this.#pty.onData(listener)
  }

  pause(): void {
    this.#pty.pause()
  }

  resume(): void {
    this.#pty.resume()
  }

  resize({ cols, rows }: Size): void {
    if (!this.#hasExited && (this.#pty.cols !== cols || this.#pty.rows !== rows)) this.#pty.resize(cols, rows)
  }

  write(text: string): void {
    if (this.#hasExited) return
    const bytes = Buffer.from(text)
    if (this.#inputBytes + bytes.length > MAX_UNREAD_INPUT_BYTES) throw notRead()
    this.#input.push(bytes)
    this.#inputBytes += bytes.length
    if (this.#retry === undefined) this.#offerInput()
  }

  /** For Windows, which has no signals. */
  kill(): void {
    this.#pty.kill()
  }

  /**
   * The package's own `write` spins until the program has read everything, which may never happen. So this
   * writes to the descriptor directly, after checking that its stream is open: a closed descriptor may belong
   * to another file.
   */
  #offerInput(): void {
    this.#retry = undefined
    const target = descriptorOf(this.#pty)
    for (let [first] = this.#input; first !== undefined; [first] = this.#input) {
      if (target === undefined) this.#pty.write(first.toString())
      else if (target.stream.destroyed) return
      const taken = target === undefined ? first.length : writeSome(target.fd, first)
      this.#inputBytes -= taken
      if (taken === first.length) this.#input.shift()
      else this.#input[0] = first.subarray(taken)
      if (taken === 0) {
        this.#retry = setTimeout(() => this.#offerInput(), INPUT_RETRY_MS)
        return
      }
    }
  }
}

/** Undefined on Windows, where input goes through a pipe and does not block. */
function descriptorOf(pty: IPty): { fd: number; stream: Duplex } | undefined {
  const fd: unknown = Reflect.get(pty, 'fd')
  const stream: unknown = Reflect.get(pty, '_socket')
  return typeof fd === 'number' && stream instanceof Duplex && process.platform !== 'win32' ? { fd, stream } : undefined
}

function exitOf(code: number, signal: number | undefined): Exit {
  if (signal === undefined || signal === 0) return { code, signal: null }
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0]
  return { code: null, signal: name ?? `signal ${signal}` }
}

function notRead(): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: 'The program in this terminal does not read its input, and the buffer is full.',
    hint: 'Wait until it reads again, or close the terminal.',
  })
}

function notSupported(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `There are no terminals on this system (${process.platform}, ${process.arch}).`,
    hint: 'Print the command and run it yourself: rethread resume SESSION --print',
    cause,
  })
}
