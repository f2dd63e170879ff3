// `check --json`: one large session, many the first time, and many when nothing changed.
import { appendFileSync } from 'node:fs'
import type { Library } from '../measure/library.ts'
import { assertReadCompletely, makeLibrary } from '../measure/library.ts'
import { mediansOf, peakMemory, timeOnce } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const LARGE_BYTES = 200e6
const HUGE_BYTES = 2e9
/** As in `list`: 50 kB on average. */
const MEDIAN_BYTES = 38_000
const MANY_MEDIAN_BYTES = 8_000
const MAX_MEMORY_BYTES = 90e6
const MAX_HUGE_MEMORY_BYTES = 120e6
const FIRST_BYTES = 1e6
const LONG_LINE_BYTES = 100e6
const MAX_LINE_MEMORY_BYTES = 200e6
const MAX_RATIO_LARGE = 10
const MAX_RATIO_FIRST = 4
const MAX_RATIO_AGAIN = 4

const none = { sessionsPerAgent: 0, medianBytes: 0, damageShare: 0, agents: ['claude-code'] }

export const checkLarge: Benchmark = {
  name: 'check-large',
  *run(setting) {
    yield* withLibrary(setting, { ...none, largeBytes: LARGE_BYTES }, library => [
      measureLarge(setting, library),
      measureMemory(setting, library, MAX_MEMORY_BYTES),
    ])
    yield* withLibrary(setting, { ...none, largeBytes: FIRST_BYTES }, library => [measureLongLine(setting, library)])
    if (!setting.isQuick)
      yield* withLibrary(setting, { ...none, largeBytes: HUGE_BYTES }, library => [
        measureMemory(setting, library, MAX_HUGE_MEMORY_BYTES),
      ])
  },
}

export const checkFirst: Benchmark = {
  name: 'check-first',
  *run(setting) {
    const kind = { ...none, sessionsPerAgent: 2000, medianBytes: MEDIAN_BYTES }
    yield* withLibrary(setting, kind, library => [measureFirst(setting, library)])
  },
}

export const checkAgain: Benchmark = {
  name: 'check-again',
  *run(setting) {
    const kind = { ...none, sessionsPerAgent: setting.isQuick ? 2000 : 10_000, medianBytes: MANY_MEDIAN_BYTES }
    yield* withLibrary(setting, kind, library => [measureAgain(setting, library)])
  },
}

function* withLibrary(
  { program, folder }: Setting,
  kind: Parameters<typeof makeLibrary>[1],
  use: (library: Library) => Row[],
): Generator<Row, void, void> {
  const library = makeLibrary(folder, kind)
  try {
    assertReadCompletely(program, library)
    yield* use(library)
  } finally {
    library.remove()
  }
}

function command({ program }: Setting, library: Library, state: string) {
  return program.run('--home', library.home, '--state', state, 'check', '--json')
}

function measureLarge(setting: Setting, library: Library): Row {
  const [ours = 0, countLines = 0, cat = 0] = mediansOf(setting.rounds, [
    () => timeOnce(command(setting, library, library.freshState())),
    () => timeOnce(library.countLines),
    () => timeOnce(library.cat),
  ])
  return {
    name: `check, one session of ${formatBytes(library.bytes)}`,
    measured: `${formatMs(ours)}, ${(library.bytes / 1e6 / (ours / 1000)).toFixed(0)} MB/s`,
    against: `wc -l ${formatMs(countLines)}, cat ${formatMs(cat)}`,
    ratio: `${formatRatio(ours / countLines)}, ${formatRatio(ours / cat)}`,
    target: `≤ ${MAX_RATIO_LARGE} × wc -l`,
    isMet: ours / countLines <= MAX_RATIO_LARGE,
  }
}

function measureMemory(
  setting: Setting,
  library: Library,
  limit: number,
  name = `one session of ${formatBytes(library.bytes)}`,
): Row {
  const idle = peakMemory(setting.program.run('--version'))
  const peak = peakMemory(command(setting, library, library.freshState()))
  const above = peak - idle
  return {
    name: `memory of check, ${name}`,
    measured: `${formatBytes(above)} above idle`,
    against: `idle ${formatBytes(idle)}`,
    ratio: formatRatio(peak / idle),
    target: `≤ ${formatBytes(limit)}`,
    isMet: above <= limit,
  }
}

/** A record with a text of this length is added to the session. */
function measureLongLine(setting: Setting, library: Library): Row {
  const [session] = library.made
  if (session === undefined) throw new Error('No session was made.')
  const record = { type: 'system', uuid: 'last', sessionId: session.sessionId, content: 'x'.repeat(LONG_LINE_BYTES) }
  appendFileSync(session.file, `${JSON.stringify(record)}\n`)
  return measureMemory(setting, library, MAX_LINE_MEMORY_BYTES, `one line of ${formatBytes(LONG_LINE_BYTES)}`)
}

function measureFirst(setting: Setting, library: Library): Row {
  const [ours = 0, cat = 0] = mediansOf(setting.rounds, [
    () => timeOnce(command(setting, library, library.freshState())),
    () => timeOnce(library.cat),
  ])
  return {
    name: `check, first time, ${library.made.length.toLocaleString('en')} sessions (${formatBytes(library.bytes)})`,
    measured: formatMs(ours),
    against: `cat ${formatMs(cat)}`,
    ratio: formatRatio(ours / cat),
    target: `≤ ${MAX_RATIO_FIRST} × cat`,
    isMet: ours / cat <= MAX_RATIO_FIRST,
  }
}

function measureAgain(setting: Setting, library: Library): Row {
  const state = library.freshState()
  const [ours = 0, find = 0] = mediansOf(setting.rounds, [
    () => timeOnce(command(setting, library, state)),
    () => timeOnce(library.find),
  ])
  return {
    name: `check, nothing changed, ${library.made.length.toLocaleString('en')} sessions`,
    measured: formatMs(ours),
    against: `find -printf ${formatMs(find)}`,
    ratio: formatRatio(ours / find),
    target: `≤ ${MAX_RATIO_AGAIN} × find`,
    isMet: ours / find <= MAX_RATIO_AGAIN,
  }
}
