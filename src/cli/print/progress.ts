// Progress bars on stderr: how much is done, and how long the rest takes. One counts units, and may have
// several phases that each count from zero. The other counts sessions and their bytes.
import { formatNumber } from '../../model/format-number.ts'
import type { BarParts } from './status-line.ts'
import { formatLeft, makeStatusLine, renderBar } from './status-line.ts'
import { formatSize } from './words.ts'

export interface Progress {
  /** Another label starts another phase. */
  update(done: number, total: number, label?: string): void
  clear(): void
}

/** A rate measured over a shorter time is too inaccurate to show. */
const LEAST_RATE_MS = 500

/** `unit` is a plural noun. */
export function makeProgress(stream: NodeJS.WriteStream, label: string, unit: string): Progress {
  const line = makeStatusLine(stream)
  let phase = label
  let last = 0
  /**
   * The rate is measured from here. Time before the first update, and while the user is asked, does not
   * count.
   */
  let from: { time: number; done: number } | undefined
  return {
    update(done, total, current = label) {
      if (!line.isWatched) return
      const now = performance.now()
      if (current !== phase) from &&= { time: last, done: 0 }
      from ??= { time: now, done }
      phase = current
      last = now
      const left = leftOf(done, total, now - from.time, done - from.done)
      line.draw(place =>
        renderBar(
          { label: current, share: done / Math.max(1, total), figures: figuresOf(done, total, unit, left) },
          place,
        ),
      )
    },
    clear() {
      line.clear()
      from = undefined
    },
  }
}

function leftOf(done: number, total: number, elapsedMs: number, doneSince: number): string[] {
  if (elapsedMs < LEAST_RATE_MS || doneSince <= 0) return []
  return [formatLeft((elapsedMs / doneSince) * Math.max(0, total - done))]
}

function figuresOf(done: number, total: number, unit: string, left: readonly string[]): string[][] {
  const all = formatNumber(total)
  // Padded to its final width, so that only the bar moves.
  const now = formatNumber(done).padStart(all.length)
  return [
    [`${now} of ${all} ${unit}`, ...left],
    [`${now} of ${all}`, ...left],
    [`${now}/${all}`, ...left],
    [`${now}/${all}`],
  ]
}

export interface ByteProgress {
  add(bytes: number): void
  clear(): void
}

export interface BarTotals {
  sessions: number
  bytes: number
}

export function makeByteProgress(stream: NodeJS.WriteStream, label: string, totals: BarTotals): ByteProgress {
  const started = performance.now()
  const line = makeStatusLine(stream)
  const done: BarTotals = { sessions: 0, bytes: 0 }
  return {
    add(bytes) {
      done.sessions++
      done.bytes += bytes
      line.draw(place => renderBar({ label, ...barPartsOf(done, totals, performance.now() - started) }, place))
    },
    clear: line.clear,
  }
}

export function barPartsOf(done: BarTotals, totals: BarTotals, elapsedMs: number): Omit<BarParts, 'label'> {
  const share = totals.bytes > 0 ? done.bytes / totals.bytes : done.sessions / Math.max(1, totals.sessions)
  const all = formatNumber(totals.sessions)
  // Padded to its final width, so that only the bar moves.
  const now = formatNumber(done.sessions).padStart(all.length)
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
