// `check --json` of a large session that has grown a little since it was checked, against a check of the whole.
import { appendFileSync, readFileSync, truncateSync, utimesSync } from 'node:fs'
import type { Library } from '../measure/library.ts'
import { assertReadCompletely, makeLibrary } from '../measure/library.ts'
import { mediansOf, timeOnce } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const LARGE_BYTES = 200e6
const GROWTH_BYTES = 1e6
const NEWLINE = 0x0a
const PROMPT = '"message":{"role":"user","content":"'
/** What was written a moment ago could still be being written. */
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

export const checkGrown: Benchmark = {
  name: 'check-grown',
  *run(setting) {
    const kind = {
      sessionsPerAgent: 0,
      medianBytes: 0,
      damageShare: 0,
      agents: ['claude-code'],
      largeBytes: LARGE_BYTES,
    }
    const library = makeLibrary(setting.folder, kind)
    try {
      assertReadCompletely(setting.program, library)
      yield measureGrown(setting, library)
    } finally {
      library.remove()
    }
  },
}

function measureGrown({ program, rounds }: Setting, library: Library): Row {
  const [session] = library.made
  if (session === undefined) throw new Error('No session was made.')
  const check = (state: string) => program.run('--home', library.home, '--state', state, 'check', '--json')
  // The end of the session is taken away and comes back piece by piece: one for each round, and one to warm up.
  const pieces = takeEnd(session.file, rounds + 1)
  const state = library.freshState()
  timeOnce(check(state))
  const [grown = 0, whole = 0] = mediansOf(rounds, [
    () => {
      append(session.file, pieces.shift())
      return timeOnce(check(state))
    },
    () => timeOnce(check(library.freshState())),
  ])
  return {
    name: `check, one session of ${formatBytes(library.bytes)} grown by ${formatBytes(GROWTH_BYTES)}`,
    measured: formatMs(grown),
    against: `check of the whole ${formatMs(whole)}`,
    ratio: formatRatio(grown / whole),
    target: '',
    isMet: undefined,
  }
}

/** Cut where a person speaks: nothing is open there that a check would find. */
function takeEnd(file: string, count: number): Buffer[] {
  const bytes = readFileSync(file)
  const cuts = Array.from({ length: count + 1 }, (_, place) => {
    const end = bytes.length - (count - place) * GROWTH_BYTES
    return place === count ? end : bytes.lastIndexOf(NEWLINE, bytes.lastIndexOf(PROMPT, end)) + 1
  })
  truncateSync(file, cuts[0])
  utimesSync(file, LONG_AGO, LONG_AGO)
  return cuts.slice(1).map((cut, place) => bytes.subarray(cuts[place], cut))
}

function append(file: string, piece: Buffer | undefined): void {
  if (piece === undefined || piece.length === 0) throw new Error('There is nothing left to grow by.')
  appendFileSync(file, piece)
  utimesSync(file, LONG_AGO, LONG_AGO)
}
