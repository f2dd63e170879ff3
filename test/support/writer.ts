// A second process that writes a database while the test reads it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export interface Writer {
  /** Waits for the next line the script says. */
  heard(): Promise<string>
  /** Sends a line, which the script's `next()` returns. */
  send(line: string): void
  /** Waits until it has ended by itself. */
  ended(): Promise<void>
  kill(): Promise<void>
}

/** `script` may use `path`, `open()`, `say(line)` and `await next()`. */
export function startWriter(path: string, script: string): Writer {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PRELUDE + script, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exit = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exit
  }
  onTestFinished(kill)
  return {
    async heard() {
      const line = await lines.next()
      if (line.done) throw new Error('The writer ended before it said anything.')
      return line.value
    },
    send: line => void child.stdin.write(`${line}\n`),
    async ended() {
      const [code] = await exit
      if (code !== 0) throw new Error(`The writer ended with ${code}.`)
    },
    kill,
  }
}

const PRELUDE = `
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
const path = process.argv[1]
// Kept, because a connection that is garbage loses its locks.
const opened = (globalThis.opened = [])
const open = () => (opened[0] = new DatabaseSync(path, { timeout: 120_000 }))
const say = line => process.stdout.write(line + '\\n')
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const next = async () => (await input.next()).value
`
