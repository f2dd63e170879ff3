// A program in a terminal that nobody sees: tmux on a socket of its own.
import { execFileSync, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 200
const PATIENCE_MS = 60_000
/** Wide enough for what programs show at the side. */
const COLUMNS = 170
const ROWS = 50

export function hasTmux(): boolean {
  return spawnSync('tmux', ['-V']).status === 0
}

export interface TmuxOptions {
  /** Nothing of our own environment beside these. */
  variables: Record<string, string>
  folder: string
  command: readonly string[]
}

export class Tmux {
  readonly #name: string
  readonly #variables: Record<string, string>

  constructor(name: string, { variables, folder, command }: TmuxOptions) {
    this.#name = name
    this.#variables = variables
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)]
    // Without a file of settings: those of the person who runs the tests are not ours.
    this.#run('-f', '/dev/null', 'new-session', '-d', ...size, '-c', folder, ...command)
  }

  screen(): string {
    return this.#run('capture-pane', '-p')
  }

  type(text: string): void {
    this.#run('send-keys', '-l', text)
  }

  press(key: string): void {
    this.#run('send-keys', key)
  }

  async shows(words: string): Promise<string> {
    return await this.#until(`shows ${words}`, screen => screen.includes(words))
  }

  async hides(words: string): Promise<string> {
    return await this.#until(`hides ${words}`, screen => !screen.includes(words))
  }

  /** Of this socket alone. */
  close(): void {
    spawnSync('tmux', ['-L', this.#name, 'kill-server'], { env: this.#variables })
  }

  /** The first screen like it. */
  async #until(what: string, isSo: (screen: string) => boolean): Promise<string> {
    for (const begun = Date.now(); ; await sleep(LOOK_MS)) {
      const screen = this.screen()
      if (isSo(screen)) return screen
      if (Date.now() - begun > PATIENCE_MS) throw new Error(`It never ${what}:\n${screen}`)
    }
  }

  #run(...args: string[]): string {
    return execFileSync('tmux', ['-L', this.#name, ...args], { env: this.#variables, encoding: 'utf8' })
  }
}
