// The server with ten thousand sessions on disk and two hundred pages open, while one session is appended to a hundred times a second.
import { join } from 'node:path'
import { makeLibrary } from '../measure/library.ts'
import { outputOf } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import type { LoadFigures, LoadOptions } from '../measure/serve-load.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const SIZES = { sessions: 10_000, clients: 200, seconds: 60, appendsPerSecond: 100 }
const QUICK_SIZES = { sessions: 1000, clients: 50, seconds: 8, appendsPerSecond: 100 }
const MEDIAN_BYTES = 2000
const TARGET_FIRST_MS = 100
/** What a garbage collector leaves lying about is no growth. */
const MAX_GROWTH = 1.15

const SCRIPT = join(import.meta.dirname, '..', 'measure', 'serve-load.ts')

export const serve: Benchmark = {
  name: 'serve',
  *run(setting) {
    const sizes = setting.isQuick ? QUICK_SIZES : SIZES
    yield* rowsOf(sizes, measure(setting, sizes))
  },
}

function measure({ program, folder }: Setting, sizes: typeof SIZES): LoadFigures {
  const kind = { agents: ['claude-code'], sessionsPerAgent: sizes.sessions, medianBytes: MEDIAN_BYTES, damageShare: 0 }
  const library = makeLibrary(folder, kind)
  try {
    const [growing] = library.made
    if (growing === undefined) throw new Error('No session was made.')
    const state = library.freshState()
    const server = program.run('--home', library.home, '--state', state, 'serve', '--json', '--no-open', '--port', '0')
    const options: LoadOptions = { server, growing, ...sizes }
    return JSON.parse(outputOf({ file: process.execPath, args: [SCRIPT, JSON.stringify(options)] }))
  } finally {
    library.remove()
  }
}

function* rowsOf(sizes: typeof SIZES, figures: LoadFigures): Generator<Row> {
  const { firstAnswerMs, listeningMs, idle, loaded, residentBytes, maxStallMs, appended } = figures
  const sessions = `${sizes.sessions.toLocaleString('en')} sessions`
  const load = `${sizes.clients} pages, ${sizes.appendsPerSecond} appends/s for ${sizes.seconds} s`
  yield {
    name: `serve, first answer, ${sessions} never seen before`,
    measured: `${formatMs(firstAnswerMs)} after listening`,
    against: `listening after ${formatMs(listeningMs)}`,
    ratio: formatRatio(firstAnswerMs / listeningMs),
    target: `< ${TARGET_FIRST_MS} ms`,
    isMet: firstAnswerMs < TARGET_FIRST_MS,
  }
  yield {
    name: `serve, GET /api/sessions, ${sessions}, ${load}`,
    measured: `p50 ${fine(loaded.p50)}, p99 ${fine(loaded.p99)}`,
    against: `idle p50 ${fine(idle.p50)}, p99 ${fine(idle.p99)}`,
    ratio: `${formatRatio(loaded.p50 / idle.p50)}, ${formatRatio(loaded.p99 / idle.p99)}`,
    target: '',
    isMet: undefined,
  }
  const { start, middle, end } = residentBytes
  yield {
    name: `serve, memory, ${appended.toLocaleString('en')} appended, none lost`,
    measured: `${formatBytes(middle)} in the middle, ${formatBytes(end)} at the end`,
    against: `${formatBytes(start)} before`,
    ratio: `${formatRatio(end / middle)}`,
    target: `end ≤ ${MAX_GROWTH} × middle`,
    isMet: end <= MAX_GROWTH * middle,
  }
  yield {
    name: 'serve, longest stall from listening to the end',
    measured: formatMs(maxStallMs),
    against: '',
    ratio: '',
    target: '',
    isMet: undefined,
  }
}

function fine(ms: number): string {
  return `${ms.toFixed(1)} ms`
}
