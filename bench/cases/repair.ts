// `repair` of one large session with many findings, against a check of it and a copy of the file.
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Random } from '../../src/agents/samples/random.ts'
import { makeLibrary } from '../measure/library.ts'
import { mediansOf, timeOnce } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const LARGE_BYTES = 200e6
const FINDINGS = 500
/** The exit status of a check that found what it should. */
const DAMAGE_FOUND = 3
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))
const PARENT = Buffer.from('"parentUuid":"')

export const repair: Benchmark = {
  name: 'repair',
  *run(setting) {
    const library = makeLibrary(setting.folder, {
      agents: ['claude-code'],
      sessionsPerAgent: 0,
      medianBytes: 0,
      damageShare: 0,
      largeBytes: LARGE_BYTES,
    })
    try {
      const [session] = library.made
      if (session === undefined) throw new Error('No session was made.')
      yield measure(setting, library.home, session.file, session.sessionId, library.freshState)
    } finally {
      library.remove()
    }
  },
}

function measure(setting: Setting, home: string, file: string, sessionId: string, freshState: () => string): Row {
  const broken = join(setting.folder, 'broken.jsonl')
  breakLinks(file, broken)
  const size = statSync(file).size
  const copied = join(setting.folder, 'copy.jsonl')
  const timeBroken = (name: string): number => {
    copyFileSync(broken, file)
    // The disk has stored it before the time runs.
    syncFile(file)
    utimesSync(file, LONG_AGO, LONG_AGO)
    const state = freshState()
    const ms = timeOnce(setting.program.run('--home', home, '--state', state, name, sessionId, '--json'), [
      DAMAGE_FOUND,
    ])
    // Each round writes a new file into the same memory, like `cp`.
    rmSync(state, { recursive: true })
    return ms
  }
  const timeCopy = (): number => {
    rmSync(copied, { force: true })
    return timeOnce({ file: 'cp', args: ['--reflink=never', file, copied] })
  }
  // A repair waits until the disk has stored the copy for its vault. This says how long the disk takes.
  const timeStoredCopy = (): number => {
    rmSync(copied, { force: true })
    return timeOnce({ file: 'dd', args: [`if=${file}`, `of=${copied}`, 'bs=1M', 'conv=fsync', 'status=none'] })
  }
  const [ours = 0, check = 0, copy = 0, storedCopy = 0] = mediansOf(setting.rounds, [
    () => timeBroken('repair'),
    () => timeBroken('check'),
    timeCopy,
    timeStoredCopy,
  ])
  return {
    name: `repair, ${formatBytes(size)}, ${FINDINGS} findings`,
    measured: formatMs(ours),
    against: `check ${formatMs(check)}, cp ${formatMs(copy)}, a copy stored by the disk ${formatMs(storedCopy)}`,
    ratio: formatRatio(ours / (check + copy)),
    target: '≤ check + cp',
    isMet: ours <= check + copy,
  }
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r+')
  fsyncSync(fd)
  closeSync(fd)
}

/** Parents that are nowhere, spread over the file. */
function breakLinks(file: string, broken: string): void {
  const bytes = readFileSync(file)
  const random = new Random('repair')
  const step = Math.floor(bytes.length / (FINDINGS + 1))
  for (let finding = 1; finding <= FINDINGS; finding++) {
    const at = bytes.indexOf(PARENT, finding * step)
    if (at !== -1) bytes.write(random.uuid(), at + PARENT.length, 'latin1')
  }
  writeFileSync(broken, bytes)
}
