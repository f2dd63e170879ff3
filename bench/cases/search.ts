// Full-text search: building the index, what it takes on the disk, queries as the server runs them, one message more, and
// `rethread search` as a whole process. Against counting the word in the files, and against a bare FTS5 table.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeLibrary } from '../measure/library.ts'
import { type Command, mediansOf, outputOf, peakMemory, timeOnce } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import type { SearchFigures, SearchOptions } from '../measure/search-load.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const SCRIPT = join(import.meta.dirname, '..', 'measure', 'search-load.ts')
const AGENTS = ['claude-code', 'codex']
/** About 1 GB and 100,000 messages or more; quick: a tenth. */
const SIZES = { sessionsPerAgent: 1500, medianBytes: 280_000, damageShare: 0 }
const QUICK_SIZES = { sessionsPerAgent: 150, medianBytes: 280_000, damageShare: 0 }
/** 1,000,000 messages. Only where it is asked for by its name. */
const LARGE_SIZES = { sessionsPerAgent: 4500, medianBytes: 280_000, damageShare: 0 }

/** Different queries of each kind, taken from the sessions. */
const QUERIES = 150
const QUICK_QUERIES = 40
const MAX_MS: Record<string, number> = { 'a common word': 50 }
const MAX_RARE_MS = 10
const MAX_INDEX_SHARE = 0.7
const MIN_MB_PER_SECOND = 40
const MAX_PEAK_BYTES = 200e6
const MAX_APPEND_MS = 5
const MAX_PROCESS_MS = 250
const LARGE_MAX_MS = 50

export const search: Benchmark = {
  name: 'search',
  *run(setting) {
    yield* rowsFor(setting, setting.isQuick ? QUICK_SIZES : SIZES, MAX_RARE_MS)
  },
}

export const searchLarge: Benchmark = {
  name: 'search-large',
  isOnDemand: true,
  *run(setting) {
    yield* rowsFor(setting, LARGE_SIZES, LARGE_MAX_MS)
  },
}

function* rowsFor(setting: Setting, sizes: typeof SIZES, maxMs: number): Generator<Row> {
  const library = makeLibrary(setting.folder, { agents: AGENTS, ...sizes })
  try {
    const [growing] = library.made
    if (growing === undefined) throw new Error('No session was made.')
    const state = library.freshState()
    const lines = grownLines(readFileSync(growing.file, 'utf8'), 30)
    const options: SearchOptions = {
      ...{ home: library.home, state, growing: growing.file, lines },
      queries: setting.isQuick ? QUICK_QUERIES : QUERIES,
    }
    const figures: SearchFigures = JSON.parse(
      outputOf({ file: process.execPath, args: [SCRIPT, JSON.stringify(options)] }),
    )
    const first = setting.program.run('--home', library.home, '--state', library.freshState(), 'search', 'rounding')
    yield* indexRows({ ...figures, peakBytes: peakMemory(first) })
    yield* queryRows(figures, maxMs)
    yield processRow(setting, library.home, state, library.countWord('rounding'), figures)
  } finally {
    library.remove()
  }
}

/** Messages of the log once more, each with a new id and behind the one before: the conversation goes on. */
function grownLines(log: string, count: number): string[] {
  const records = log
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { uuid?: string; parentUuid?: string })
  let parentUuid = records.findLast(({ uuid }) => uuid !== undefined)?.uuid
  return records
    .filter(record => typeof record.parentUuid === 'string')
    .slice(0, count)
    .map((record, at) => {
      const uuid = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
      const line = `${JSON.stringify({ ...record, parentUuid, uuid })}\n`
      parentUuid = uuid
      return line
    })
}

function* indexRows(figures: SearchFigures & { peakBytes: number }): Generator<Row> {
  const { messages, bytes, textBytes, indexBytes, buildSeconds, peakBytes, floorSeconds, floorBytes, appendMs } =
    figures
  const what = `${messages.toLocaleString('en')} messages, ${formatBytes(bytes)}`
  const speed = bytes / 1e6 / buildSeconds
  yield {
    name: `search, building the index, ${what}`,
    measured: `${speed.toFixed(0)} MB/s of session files on one core`,
    against: `bare FTS5 ${(textBytes / 1e6 / floorSeconds).toFixed(0)} MB/s of its text (${formatBytes(textBytes)})`,
    ratio: formatRatio(buildSeconds / floorSeconds),
    target: `≥ ${MIN_MB_PER_SECOND} MB/s`,
    isMet: speed >= MIN_MB_PER_SECOND,
  }
  yield {
    name: 'search, memory of a first rethread search, which builds the index',
    measured: formatBytes(peakBytes),
    against: '',
    ratio: '',
    target: `≤ ${formatBytes(MAX_PEAK_BYTES)}`,
    isMet: peakBytes <= MAX_PEAK_BYTES,
  }
  yield {
    name: 'search, size of the index',
    measured: `${formatBytes(indexBytes)}, ${(indexBytes / textBytes).toFixed(2)} × the text`,
    against: `bare FTS5 ${formatBytes(floorBytes)}`,
    ratio: formatRatio(indexBytes / floorBytes),
    target: `≤ ${MAX_INDEX_SHARE} × the text`,
    isMet: indexBytes <= MAX_INDEX_SHARE * textBytes,
  }
  yield {
    name: 'search, one appended message until it is found',
    measured: `${formatFine(appendMs)} of the processor`,
    against: '',
    ratio: '',
    target: `≤ ${MAX_APPEND_MS} ms`,
    isMet: appendMs <= MAX_APPEND_MS,
  }
}

function* queryRows({ p95, found, messages }: SearchFigures, maxMs: number): Generator<Row> {
  for (const [kind, ms] of Object.entries(p95)) {
    const most = Math.max(maxMs, MAX_MS[kind] ?? 0)
    yield {
      name: `search, ${kind}, ${messages.toLocaleString('en')} messages (p95)`,
      measured: `${formatFine(ms)} of the processor with the passages of ${found[kind]} conversations`,
      against: '',
      ratio: '',
      target: `≤ ${most} ms`,
      isMet: ms <= most,
    }
  }
}

function processRow(
  { program, rounds }: Setting,
  home: string,
  state: string,
  count: Command,
  { bytes }: SearchFigures,
): Row {
  const [ours = 0, counted = 0] = mediansOf(rounds, [
    () => timeOnce(program.run('--home', home, '--state', state, 'search', 'rounding', 'cents')),
    () => timeOnce(count, [1, 123]),
  ])
  return {
    name: `rethread search, the whole process, nothing changed, ${formatBytes(bytes)}`,
    measured: formatMs(ours),
    against: `${count.args[3]} -c over the files ${formatMs(counted)}`,
    ratio: formatRatio(ours / counted),
    target: `≤ ${MAX_PROCESS_MS} ms`,
    isMet: ours <= MAX_PROCESS_MS,
  }
}

function formatFine(ms: number): string {
  return `${ms.toFixed(1)} ms`
}
