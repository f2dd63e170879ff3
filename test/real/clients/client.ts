// A client that nobody here wrote, and what is tried with it. One file for each, and one line in index.ts.
import type { Stage } from './stage.ts'

export interface RealClient {
  /** For file names and `--client`. */
  name: string
  title: string
  version: string
  install: string
  /** Why it cannot be tried here. */
  missing(): string | undefined
  /** Before the server starts. Returns what is done when the case is over. */
  prepare?(stage: Stage): Promise<() => Promise<void>>
  cases: readonly ClientCase[]
}

export interface ClientCase {
  name: string
  /** Throws where the client shows something else. Returns what was seen, with figures. */
  run(stage: Stage): Promise<string>
}

export function require(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what)
}
