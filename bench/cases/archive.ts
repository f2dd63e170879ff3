// The archive: a heavy day, the first pass over many sessions, a pass over unchanged ones, and a restore.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ArchiveFigures } from '../measure/archive-load.ts'
import { type Library, makeLibrary } from '../measure/library.ts'
import { mediansOf, outputOf, timeOnce } from '../measure/processes.ts'
import { formatMs, formatRatio, type Row } from '../measure/report.ts'
import type { WatchFigures } from '../measure/watch-load.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const DAY_BYTES = 24e6
const DAY_SESSIONS = 8
/** So many times an agent writes something and then pauses. */
const BURSTS = 2000
const WORKING_DAY_MS = 8 * 60 * 60 * 1000
const MAX_CORE_SHARE = 0.02
const MAX_SIZE_SHARE = 0.25
const MEDIAN_BYTES = 38_000
const MANY_MEDIAN_BYTES = 8_000
const LARGE_BYTES = 200e6
const MAX_RESTORE_RATIO = 3
const WATCHED_SECONDS = 120
const WATCH = join(import.meta.dirname, '..', 'measure', 'watch-load.ts')
const SCRIPT = join(import.meta.dirname, '..', 'measure', 'archive-load.ts')

const none = { sessionsPerAgent: 0, medianBytes: 0, damageShare: 0, agents: ['claude-code'] }

export const archive: Benchmark = {
  name: 'archive',
  *run(setting) {
    const day = { ...none, sessionsPerAgent: DAY_SESSIONS, medianBytes: DAY_BYTES / DAY_SESSIONS }
    yield* withLibrary(setting, day, measureDay)
    if (!setting.isQuick) yield* withLibrary(setting, day, library => [measureWatch(setting, library)])
    yield* withLibrary(setting, { ...none, sessionsPerAgent: 2000, medianBytes: MEDIAN_BYTES }, library => [
      measureFirst(setting, library),
    ])
    const many = setting.isQuick ? 2000 : 10_000
    yield* withLibrary(setting, { ...none, sessionsPerAgent: many, medianBytes: MANY_MEDIAN_BYTES }, library =>
      measureMany(setting, library),
    )
    yield* withLibrary(setting, { ...none, largeBytes: LARGE_BYTES }, library => [measureRestore(setting, library)])
  },
}

function* withLibrary(
  { folder }: Setting,
  kind: Parameters<typeof makeLibrary>[1],
  use: (library: Library) => Row[],
): Generator<Row, void, void> {
  const library = makeLibrary(folder, kind)
  try {
    yield* use(library)
  } finally {
    library.remove()
  }
}

function command({ program }: Setting, { home }: Library, state: string, ...args: string[]) {
  return program.run('--home', home, '--state', state, ...args, '--json')
}

function measureDay(library: Library): Row[] {
  const args = [SCRIPT, library.home, library.freshState(), String(BURSTS)]
  const output = outputOf({ file: process.execPath, args })
  const { bytes, storedBytes, segments, cpuMs, longestMs }: ArchiveFigures = JSON.parse(output)
  const name = `archive, a day of ${formatBytes(bytes)} in ${BURSTS.toLocaleString('en')} bursts`
  return [
    {
      name: `${name}: processor`,
      measured: `${formatMs(cpuMs)}, the longest copy ${formatMs(longestMs)}`,
      against: 'eight hours of one core',
      ratio: `${((cpuMs / WORKING_DAY_MS) * 100).toFixed(2)} %`,
      target: `≤ ${MAX_CORE_SHARE * 100} %`,
      isMet: cpuMs / WORKING_DAY_MS <= MAX_CORE_SHARE,
    },
    {
      name: `${name}: disk`,
      measured: `${(storedBytes / 1e6).toFixed(1)} MB in ${segments} files`,
      against: `the sessions ${formatBytes(bytes)}`,
      ratio: `${(storedBytes / bytes).toFixed(2)} ×`,
      target: `≤ ${MAX_SIZE_SHARE} ×`,
      isMet: storedBytes / bytes <= MAX_SIZE_SHARE,
    },
  ]
}

function measureWatch(setting: Setting, library: Library): Row {
  const [script = ''] = setting.program.run().args
  const args = [WATCH, library.home, library.freshState(), String(WATCHED_SECONDS), script]
  const { bytes, bursts, busyMs, idleMs, idleSeconds }: WatchFigures = JSON.parse(
    outputOf({ file: process.execPath, args }),
  )
  const share = busyMs / WORKING_DAY_MS + idleMs / (idleSeconds * 1000)
  return {
    name: `archive --watch, a day of ${formatBytes(bytes)} in ${bursts.toLocaleString('en')} bursts`,
    measured: `${formatMs(busyMs)}, and ${formatMs(idleMs)} in ${idleSeconds} s without a change`,
    against: 'eight hours of one core',
    ratio: `${(share * 100).toFixed(2)} %`,
    target: `≤ ${MAX_CORE_SHARE * 100} %`,
    isMet: share <= MAX_CORE_SHARE,
  }
}

function measureFirst(setting: Setting, library: Library): Row {
  const [ours = 0, cat = 0] = mediansOf(setting.rounds, [
    () => timeOnce(command(setting, library, library.freshState(), 'archive')),
    () => timeOnce(library.cat),
  ])
  return {
    name: `archive, first time, ${library.made.length.toLocaleString('en')} sessions (${formatBytes(library.bytes)})`,
    measured: formatMs(ours),
    against: `cat ${formatMs(cat)}`,
    ratio: formatRatio(ours / cat),
    target: '',
    isMet: undefined,
  }
}

function measureMany(setting: Setting, library: Library): Row[] {
  const state = library.freshState()
  const first = timeOnce(command(setting, library, state, 'archive'))
  const [again = 0, find = 0, cat = 0] = mediansOf(setting.rounds, [
    () => timeOnce(command(setting, library, state, 'archive')),
    () => timeOnce(library.find),
    () => timeOnce(library.cat),
  ])
  const count = `${library.made.length.toLocaleString('en')} sessions (${formatBytes(library.bytes)})`
  const row = { target: '', isMet: undefined }
  return [
    {
      ...row,
      name: `archive, first time, ${count}`,
      measured: formatMs(first),
      against: `cat ${formatMs(cat)}`,
      ratio: formatRatio(first / cat),
    },
    {
      ...row,
      name: `archive, nothing changed, ${count}`,
      measured: formatMs(again),
      against: `find -printf ${formatMs(find)}`,
      ratio: formatRatio(again / find),
    },
  ]
}

function measureRestore(setting: Setting, library: Library): Row {
  const [session] = library.made
  if (session === undefined) throw new Error('No session was made.')
  const folder = mkdtempSync(join(setting.folder, 'restored-'))
  const original = join(folder, 'original')
  copyFileSync(session.file, original)
  const state = library.freshState()
  timeOnce(command(setting, library, state, 'archive'))
  const [ours = 0, cp = 0] = mediansOf(setting.rounds, [
    () => {
      rmSync(session.file)
      timeOnce(command(setting, library, state, 'archive'))
      const ms = timeOnce(command(setting, library, state, 'restore', session.sessionId))
      timeOnce({ file: 'cmp', args: [session.file, original] })
      return ms
    },
    () => timeOnce({ file: 'cp', args: ['--reflink=never', original, join(folder, 'copy')] }),
  ])
  rmSync(folder, { recursive: true, force: true })
  return {
    name: `restore, one session of ${formatBytes(library.bytes)}`,
    measured: formatMs(ours),
    against: `cp ${formatMs(cp)}`,
    ratio: formatRatio(ours / cp),
    target: `≤ ${MAX_RESTORE_RATIO} × cp`,
    isMet: ours / cp <= MAX_RESTORE_RATIO,
  }
}
