// A bar on stderr for long work over many sessions: how many, how many bytes, how fast, how long still. Nothing where nobody watches.
import { formatSize } from './words.ts'

export interface ProgressBar {
  add(bytes: number): void
  clear(): void
}

const SHOWN_AFTER_MS = 300
const EVERY_MS = 100
const BAR_COLUMNS = 24
/** A rate that is measured over less than this says nothing yet. */
const LEAST_RATE_MS = 500

export interface BarTotals {
  sessions: number
  bytes: number
}

export function makeProgressBar(stream: NodeJS.WriteStream, label: string, totals: BarTotals): ProgressBar {
  const started = performance.now()
  const done: BarTotals = { sessions: 0, bytes: 0 }
  let last = 0
  let isShown = false
  const isWatched = stream.isTTY === true && process.env['TERM'] !== 'dumb'
  return {
    add(bytes) {
      done.sessions++
      done.bytes += bytes
      const now = performance.now()
      if (!isWatched || now - started < SHOWN_AFTER_MS || now - last < EVERY_MS) return
      last = now
      isShown = true
      // Every character of it is one column wide.
      const line = renderBar(label, done, totals, now - started).slice(0, (stream.columns ?? 80) - 1)
      stream.write(`\r\u001b[K${line}`)
    },
    clear() {
      if (isShown) stream.write('\r\u001b[K')
      isShown = false
    },
  }
}

export function renderBar(label: string, done: BarTotals, totals: BarTotals, elapsedMs: number): string {
  const share = totals.bytes > 0 ? done.bytes / totals.bytes : done.sessions / Math.max(1, totals.sessions)
  const filled = Math.round(Math.min(1, share) * BAR_COLUMNS)
  const parts = [
    `${done.sessions.toLocaleString('en')} of ${totals.sessions.toLocaleString('en')} sessions`,
    `${formatSize(done.bytes)} of ${formatSize(totals.bytes)}`,
  ]
  if (elapsedMs >= LEAST_RATE_MS && share > 0) {
    parts.push(`${formatSize((done.bytes / elapsedMs) * 1000)}/s`)
    parts.push(`${Math.ceil(((elapsedMs / share) * (1 - Math.min(1, share))) / 1000)} s left`)
  }
  return `${label} ${'█'.repeat(filled)}${'░'.repeat(BAR_COLUMNS - filled)} ${parts.join(' · ')}`
}
