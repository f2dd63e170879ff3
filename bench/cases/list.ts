// `list --json`: the first time, when every session has to be read once, and again, when nothing changed.
import type { Library } from '../measure/library.ts'
import { assertReadCompletely, makeLibrary } from '../measure/library.ts'
import { mediansOf, timeOnce } from '../measure/processes.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

/** Gives sessions of 50 kB on average: sizes are spread, and the last message of each goes beyond the plan. */
const MEDIAN_BYTES = 38_000
const MANY_MEDIAN_BYTES = 8_000
const MAX_RATIO = 4

const ONE_AGENT = { agents: ['claude-code'], sessionsPerAgent: 2000, medianBytes: MEDIAN_BYTES, damageShare: 0 }
const ALL_AGENTS = { sessionsPerAgent: 250, medianBytes: MEDIAN_BYTES, damageShare: 0 }
const MANY = { agents: ['claude-code'], sessionsPerAgent: 10_000, medianBytes: MANY_MEDIAN_BYTES, damageShare: 0 }

export const listFirst: Benchmark = {
  name: 'list-first',
  *run(setting) {
    yield* withLibrary(setting, ONE_AGENT, library => measureFirst(setting, library, 'claude-code'))
    yield* withLibrary(setting, ALL_AGENTS, library => measureFirst(setting, library, 'all agents'))
  },
}

export const listAgain: Benchmark = {
  name: 'list-again',
  *run(setting) {
    yield* withLibrary(setting, ONE_AGENT, library => measureAgain(setting, library, 'claude-code'))
    yield* withLibrary(setting, ALL_AGENTS, library => measureAgain(setting, library, 'all agents'))
    if (!setting.isQuick) yield* withLibrary(setting, MANY, library => measureAgain(setting, library, 'claude-code'))
  },
}

function* withLibrary<T>({ program, folder }: Setting, kind: typeof ALL_AGENTS, use: (library: Library) => T) {
  const library = makeLibrary(folder, kind)
  try {
    assertReadCompletely(program, library)
    yield use(library)
  } finally {
    library.remove()
  }
}

function list({ program }: Setting, library: Library, state: string): number {
  return timeOnce(program.run('--home', library.home, '--state', state, 'list', '--json'))
}

function measureFirst(setting: Setting, library: Library, agents: string) {
  const [ours = 0, cat = 0] = mediansOf(setting.rounds, [
    () => list(setting, library, library.freshState()),
    () => timeOnce(library.cat),
  ])
  return {
    name: `list, first time, ${count(library)} (${agents}, ${formatBytes(library.bytes)})`,
    measured: formatMs(ours),
    against: `cat ${formatMs(cat)}`,
    ratio: formatRatio(ours / cat),
    target: `≤ ${MAX_RATIO} × cat`,
    isMet: ours / cat <= MAX_RATIO,
  }
}

function measureAgain(setting: Setting, library: Library, agents: string) {
  const state = library.freshState()
  const [ours = 0, find = 0] = mediansOf(setting.rounds, [
    () => list(setting, library, state),
    () => timeOnce(library.find),
  ])
  return {
    name: `list, nothing changed, ${count(library)} (${agents}, ${library.files.toLocaleString('en')} files)`,
    measured: formatMs(ours),
    against: `find -printf ${formatMs(find)}`,
    ratio: formatRatio(ours / find),
    target: `≤ ${MAX_RATIO} × find -printf`,
    isMet: ours / find <= MAX_RATIO,
  }
}

function count(library: Library): string {
  return `${library.made.length.toLocaleString('en')} sessions`
}
