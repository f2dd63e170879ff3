// Starts rethread-process.ts, gives it orders, and keeps what it says.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { LineCollector } from '../../src/bytes/line-collector.ts'
import { testProgram } from './package.ts'

export interface RethreadOptions {
  folder: string
  flags?: readonly string[]
  /** It kills itself when it has sent an event of this kind. */
  killAtKind?: string
  /** It kills itself in this append, so many steps after it was begun. */
  killAtAppend?: { count: number; steps: number }
}

export interface Order {
  number: number
  order: 'begin' | 'prompt' | 'settle' | 'stop'
  id?: string
  text?: string
}

export interface SentEvent {
  sessionId: string
  seq: number
  kind: string
  sha: string
}

export interface Rethread {
  pid: number
  notified: SentEvent[]
  /** Rejects with what it threw, or where it ended before it answered. */
  order(order: Omit<Order, 'number'>): Promise<unknown>
  /** When so many events of this kind were reported. */
  hasSent(kind: string, count?: number): Promise<void>
  kill(): Promise<void>
  /** When it is gone. */
  ended: Promise<void>
}

interface Said {
  ready?: number
  notified?: SentEvent
  number?: number
  answer?: unknown
  error?: { code: string; message: string }
}

const MAX_LINE_BYTES = 16 * 1024 * 1024

export async function startRethread(options: RethreadOptions): Promise<Rethread> {
  const child = spawn(process.execPath, [testProgram('rethread-process'), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close').then(() => undefined)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  // One that was killed does not read.
  child.stdin.on('error', () => undefined)
  const notified: SentEvent[] = []
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const looking = new Set<() => void>()
  const ready = Promise.withResolvers<number>()
  const lines = new LineCollector(MAX_LINE_BYTES)
  const hear = ({ ready: pid, notified: event, number = 0, answer, error }: Said) => {
    if (pid !== undefined) ready.resolve(pid)
    if (event !== undefined) notified.push(event)
    const order = waiting.get(number)
    if (error !== undefined) order?.reject(Object.assign(new Error(error.message), error))
    else if (event === undefined) order?.resolve(answer)
    for (const look of looking) look()
  }
  child.stdout.on('data', (chunk: Buffer) => {
    for (const { bytes } of lines.push(chunk)) hear(JSON.parse(bytes.toString()) as Said)
  })
  const gone = () => new Error('This rethread has ended.')
  void ended.then(() => {
    ready.reject(gone())
    for (const order of waiting.values()) order.reject(gone())
  })
  let number = 0
  return {
    pid: await ready.promise,
    notified,
    ended,
    order(order) {
      const asked = Promise.withResolvers<unknown>()
      waiting.set(++number, asked)
      child.stdin.write(`${JSON.stringify({ ...order, number })}\n`)
      return asked.promise
    },
    hasSent: (kind, count = 1) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (notified.filter(event => event.kind === kind).length < count) return
          looking.delete(look)
          resolve()
        }
        looking.add(look)
        look()
        void ended.then(() => reject(gone()))
      }),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
