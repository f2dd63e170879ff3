// `show --json` of one large session: how fast, and in how much memory.
import { join } from 'node:path'
import type { Library } from '../measure/library.ts'
import { assertReadCompletely, makeLibrary } from '../measure/library.ts'
import type { Command } from '../measure/processes.ts'
import { mediansOf, peakMemory, timeOnce } from '../measure/processes.ts'
import type { Program } from '../measure/program.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const TARGET_MB_PER_SECOND = 100
const MAX_RATIO_TO_PARSE = 1.2
const MAX_HUGE_MEMORY_BYTES = 250e6
const LARGE_BYTES = 100e6
const HUGE_BYTES = 1e9

interface StoreName {
  agent: string
  generation: string
  /** Its records are not JSON. */
  isBinary?: boolean
}

/** One for each way in which sessions are stored: linked lines, plain lines, a log of changes, a document, a database. */
const WAYS: readonly StoreName[] = [
  { agent: 'claude-code', generation: 'projects' },
  { agent: 'codex', generation: 'rollouts' },
  { agent: 'gemini-cli', generation: 'json-lines' },
  { agent: 'gemini-cli', generation: 'document' },
  { agent: 'opencode', generation: 'database' },
]

/** Every store in which a session can become that long. */
const STORES: readonly StoreName[] = [
  ...WAYS,
  { agent: 'opencode', generation: 'tree' },
  { agent: 'amp', generation: 'threads' },
  { agent: 'kiro', generation: 'cli' },
  { agent: 'kiro', generation: 'database' },
  { agent: 'cursor', generation: 'cli' },
  { agent: 'cursor', generation: 'transcripts' },
  { agent: 'jp', generation: 'conversations' },
  { agent: 'warp', generation: 'database', isBinary: true },
]

export const show: Benchmark = {
  name: 'show',
  *run(setting) {
    for (const store of STORES) yield* withLarge(setting, store, LARGE_BYTES, measureSpeed)
  },
}

export const memory: Benchmark = {
  name: 'memory',
  *run(setting) {
    for (const bytes of setting.isQuick ? [LARGE_BYTES] : [LARGE_BYTES, HUGE_BYTES])
      for (const store of WAYS) yield* withLarge(setting, store, bytes, measureMemory)
  },
}

type Measure = (setting: Setting, library: Library, store: StoreName) => Row

function* withLarge(setting: Setting, store: StoreName, largeBytes: number, measure: Measure) {
  const which = { agents: [store.agent], generations: [store.generation] }
  const library = makeLibrary(setting.folder, {
    ...which,
    sessionsPerAgent: 0,
    medianBytes: 0,
    damageShare: 0,
    largeBytes,
  })
  try {
    assertReadCompletely(setting.program, library)
    yield measure(setting, library, store)
  } finally {
    library.remove()
  }
}

function showCommand(program: Program, library: Library) {
  const [session] = library.made
  if (session === undefined) throw new Error('No session was made.')
  return program.run('--home', library.home, '--state', library.freshState(), 'show', '--json', session.sessionId)
}

function measureSpeed(setting: Setting, library: Library, store: StoreName): Row {
  const command = showCommand(setting.program, library)
  const floor = store.isBinary === true ? undefined : parseOnly(library)
  const [ours = 0, cat = 0, countLines = 0, parse = 0] = mediansOf(setting.rounds, [
    () => timeOnce(command),
    () => timeOnce(library.cat),
    () => timeOnce(library.countLines),
    ...(floor === undefined ? [] : [() => timeOnce(floor)]),
  ])
  const speed = library.bytes / 1e6 / (ours / 1000)
  const bare = floor === undefined ? [] : [`JSON.parse and stringify alone ${formatMs(parse)}`]
  return {
    name: `show --json, ${store.agent} ${store.generation}, ${formatBytes(library.bytes)}`,
    measured: `${formatMs(ours)}, ${speed.toFixed(0)} MB/s`,
    against: [`cat ${formatMs(cat)}`, `wc -l ${formatMs(countLines)}`, ...bare].join(', '),
    ratio: [ours / cat, ours / countLines, ...(floor === undefined ? [] : [ours / parse])].map(formatRatio).join(', '),
    target: floor === undefined ? `≥ ${TARGET_MB_PER_SECOND} MB/s` : `≤ ${MAX_RATIO_TO_PARSE} × parse and stringify`,
    isMet: floor === undefined ? speed >= TARGET_MB_PER_SECOND : ours / parse <= MAX_RATIO_TO_PARSE,
  }
}

/** The least that JavaScript can do with these records: it says how fast the machine was in this very run. */
function parseOnly({ home }: Library): Command {
  return { file: process.execPath, args: [join(import.meta.dirname, '..', 'measure', 'parse-stored.js'), home] }
}

function measureMemory(setting: Setting, library: Library, store: StoreName): Row {
  const idle = peakMemory(setting.program.run('--version'))
  const peak = peakMemory(showCommand(setting.program, library))
  const above = peak - idle
  return {
    name: `memory of show --json, ${store.agent} ${store.generation}, ${formatBytes(library.bytes)}`,
    measured: `${formatBytes(above)} above idle`,
    against: `idle ${formatBytes(idle)}`,
    ratio: formatRatio(peak / idle),
    target: `≤ ${formatBytes(MAX_HUGE_MEMORY_BYTES)}`,
    isMet: above <= MAX_HUGE_MEMORY_BYTES,
  }
}
