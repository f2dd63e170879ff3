// A bar on stderr for long work over many sessions: how many, how many bytes, how fast, how long still.
import type { BarParts } from './bar.ts'
import { formatLeft, renderBar } from './bar.ts'
import { makeStatusLine } from './status-line.ts'
import { formatSize } from './words.ts'

export interface ProgressBar {
  add(bytes: number): void
  clear(): void
}

/** A rate that is measured over less than this says nothing yet. */
const LEAST_RATE_MS = 500

export interface BarTotals {
  sessions: number
  bytes: number
}

export function makeProgressBar(stream: NodeJS.WriteStream, label: string, totals: BarTotals): ProgressBar {
  const started = performance.now()
  const line = makeStatusLine(stream)
  const done: BarTotals = { sessions: 0, bytes: 0 }
  return {
    add(bytes) {
      done.sessions++
      done.bytes += bytes
      line.draw(place => renderBar({ label, ...partsOf(done, totals, performance.now() - started) }, place))
    },
    clear: line.clear,
  }
}

export function partsOf(done: BarTotals, totals: BarTotals, elapsedMs: number): Omit<BarParts, 'label'> {
  const share = totals.bytes > 0 ? done.bytes / totals.bytes : done.sessions / Math.max(1, totals.sessions)
  const all = totals.sessions.toLocaleString('en')
  // As wide as it will be, so that nothing moves but the bar.
  const now = done.sessions.toLocaleString('en').padStart(all.length)
  const sessions = `${now} of ${all} sessions`
  const bytes = `${formatSize(done.bytes)} of ${formatSize(totals.bytes)}`
  const hasRate = elapsedMs >= LEAST_RATE_MS && share > 0
  const rate = hasRate ? [`${formatSize((done.bytes / elapsedMs) * 1000)}/s`] : []
  const left = hasRate ? [formatLeft((elapsedMs / share) * (1 - Math.min(1, share)))] : []
  const figures = [
    [sessions, bytes, ...rate, ...left],
    [sessions, bytes, ...left],
    [sessions, ...left],
    [`${now}/${all}`, ...left],
    [`${now}/${all}`],
  ]
  return { share, figures }
}
