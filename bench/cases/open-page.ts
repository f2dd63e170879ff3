// One session of fifty thousand messages in the browser: how soon the first of them are seen, and whether scrolling stays smooth.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Library } from '../measure/library.ts'
import { assertReadCompletely, makeLibrary } from '../measure/library.ts'
import { median, outputOf } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const TARGET_MS = 1000
const MESSAGES = 50_000
/** Of which the generator makes a few more messages than that. */
const BYTES = 195e6
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser']
/** What a screen of 60 Hz gives for one. */
const FRAME_MS = 1000 / 60

interface Measured {
  /** The server has never read it whole. */
  cold: number
  opened: number[]
  frames: number[]
}

export const openPage: Benchmark = {
  name: 'open-page',
  *run(setting) {
    const chromium = CHROMIUM.find(path => existsSync(path))
    if (chromium === undefined) {
      process.stderr.write('open-page is left out: there is no Chromium. Install it: apt-get install chromium\n')
      return
    }
    const kind = { agents: ['claude-code'], generations: ['projects'] }
    const sizes = { sessionsPerAgent: 0, medianBytes: 0, damageShare: 0, largeBytes: BYTES }
    const library = makeLibrary(setting.folder, { ...kind, ...sizes })
    try {
      assertReadCompletely(setting.program, library)
      yield* rowsOf(measure(setting, library, chromium), library)
    } finally {
      library.remove()
    }
  },
}

function measure({ program, rounds }: Setting, library: Library, chromium: string): Measured {
  const { file, args } = program.run()
  const script = join(import.meta.dirname, '..', 'measure', 'open-in-browser.js')
  const notified = [chromium, ...args, library.home, library.freshState(), String(rounds)]
  return JSON.parse(outputOf({ file, args: [script, ...notified] }))
}

function* rowsOf({ cold, opened, frames }: Measured, library: Library): Generator<Row> {
  const messages = library.made[0]?.messages ?? 0
  if (messages < MESSAGES) throw new Error(`Only ${messages} messages were made.`)
  const name = `the page, a session of ${messages.toLocaleString('en-GB')} messages, ${formatBytes(library.bytes)}`
  const first = median(opened)
  yield {
    name: `${name}: first messages`,
    measured: formatMs(first),
    against: `opened for the first time ${formatMs(cold)}`,
    ratio: formatRatio(first / cold),
    target: `< ${formatMs(TARGET_MS)}`,
    isMet: Math.max(first, cold) < TARGET_MS,
  }
  const sorted = frames.toSorted((a, b) => a - b)
  const slow = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
  yield {
    name: `${name}: a frame while scrolling`,
    measured: `${formatMs(median(frames))}, of 20 one longer than ${formatMs(slow)}`,
    against: `60 Hz ${formatMs(FRAME_MS)}`,
    ratio: [median(frames) / FRAME_MS, slow / FRAME_MS].map(formatRatio).join(', '),
    target: '',
    isMet: undefined,
  }
}
