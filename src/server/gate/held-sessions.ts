// The sessions that terminals of ours run. Each counts as live: nothing repairs it before its terminal has ended.
import type { TerminalInfo } from '../protocol.ts'
import type { GateOptions } from './index.ts'

export class HeldSessions {
  readonly #sessions: Pick<GateOptions['sessions'], 'setTerminal'>
  /** By the id of the terminal. */
  readonly #held = new Map<string, { key: string; release(): void }>()

  constructor({ sessions, terminals }: Pick<GateOptions, 'sessions' | 'terminals'>) {
    this.#sessions = sessions
    terminals.on('exit', terminal => this.#release(terminal))
  }

  add({ terminalId }: TerminalInfo, key: string, release: () => void): void {
    this.#held.set(terminalId, { key, release })
    this.#sessions.setTerminal(key, terminalId)
  }

  #release({ terminalId }: TerminalInfo): void {
    const held = this.#held.get(terminalId)
    if (held === undefined) return
    this.#held.delete(terminalId)
    held.release()
    this.#sessions.setTerminal(held.key, undefined)
  }
}
