// The journal: envelopes per second against bare INSERTs that are as safe, and the memory that a long conversation takes.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalFigures, JournalLoad } from '../measure/journal-load.ts'
import { outputOf, peakMemory } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const TARGET_SHARE = 0.5
const ENVELOPES = { normal: 10_000, full: 500 }
const QUICK_ENVELOPES = { normal: 4000, full: 100 }
const EVENTS = 1_000_000
const QUICK_EVENTS = 100_000
const MAX_MEMORY_BYTES = 120e6

const SCRIPT = join(import.meta.dirname, '..', 'measure', 'journal-load.ts')

export const journal: Benchmark = {
  name: 'journal',
  *run(setting) {
    const folder = mkdtempSync(join(setting.folder, 'journal-'))
    try {
      for (const synchronous of ['normal', 'full'] as const) yield* measureSpeed(setting, folder, synchronous)
      yield measureMemory(setting, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** With a small heap, so that garbage is not counted as memory in use; a journal that grew with its events would not end. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4']

function command(load: JournalLoad, ...flags: string[]) {
  return { file: process.execPath, args: [...flags, SCRIPT, JSON.stringify(load)] }
}

function* measureSpeed({ isQuick, rounds }: Setting, folder: string, synchronous: 'normal' | 'full'): Generator<Row> {
  const envelopes = (isQuick ? QUICK_ENVELOPES : ENVELOPES)[synchronous]
  const figures: JournalFigures = JSON.parse(outputOf(command({ folder, synchronous, rounds, envelopes })))
  const rowOf = (name: string, speed: number): Row => ({
    name: `journal, synchronous ${synchronous}, ${name}`,
    measured: formatSpeed(speed),
    against: `bare INSERT, one transaction each, ${formatSpeed(figures.bare)}`,
    ratio: `${((speed / figures.bare) * 100).toFixed(0)} %`,
    target: `≥ ${TARGET_SHARE * 100} %`,
    isMet: speed / figures.bare >= TARGET_SHARE,
  })
  yield rowOf('each envelope awaited', figures.oneByOne)
  yield rowOf('1,000 envelopes at once', figures.flood)
}

function formatSpeed(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en')}/s`
}

function measureMemory({ isQuick }: Setting, folder: string): Row {
  const events = isQuick ? QUICK_EVENTS : EVENTS
  const load: JournalLoad = { folder, synchronous: 'normal', rounds: 1, envelopes: 0 }
  const idle = peakMemory(command({ ...load, events: 0 }, ...SMALL_HEAP))
  const above = peakMemory(command({ ...load, events }, ...SMALL_HEAP)) - idle
  return {
    name: `memory of a journal, ${events.toLocaleString('en')} events written and read in pages`,
    measured: `${formatBytes(above)} above idle`,
    against: `idle ${formatBytes(idle)}`,
    ratio: '',
    target: `≤ ${formatBytes(MAX_MEMORY_BYTES)}`,
    isMet: above <= MAX_MEMORY_BYTES,
  }
}
