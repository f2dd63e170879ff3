// A bar on stderr for work that is counted: how many, and how long still. Work may have several phases, each counted again.
import { formatLeft, renderBar } from './bar.ts'
import { makeStatusLine } from './status-line.ts'

export interface Progress {
  /** With another label, another phase begins. */
  update(done: number, total: number, label?: string): void
  clear(): void
}

/** A rate that is measured over less than this says nothing yet. */
const LEAST_RATE_MS = 500

/** `unit` is what is counted, in the plural. */
export function makeProgress(stream: NodeJS.WriteStream, label: string, unit: string): Progress {
  const line = makeStatusLine(stream)
  let phase = label
  let last = performance.now()
  /** Where the rate is measured from: what passes before the first, and while somebody is asked, does not count. */
  let from: { time: number; done: number } | undefined
  return {
    update(done, total, current = label) {
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
  const all = total.toLocaleString('en')
  // As wide as it will be, so that nothing moves but the bar.
  const now = done.toLocaleString('en').padStart(all.length)
  return [
    [`${now} of ${all} ${unit}`, ...left],
    [`${now} of ${all}`, ...left],
    [`${now}/${all}`, ...left],
    [`${now}/${all}`],
  ]
}
