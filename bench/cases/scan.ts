// The scanner: its kernel in WebAssembly and as a native program, and what it makes of a check. Measured by the time of the processor: so that runs on a
// busy machine can be compared too.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Library } from '../measure/library.ts'
import { makeLibrary } from '../measure/library.ts'
import type { Command } from '../measure/processes.ts'
import { mediansOf, outputOf, timeOnce } from '../measure/processes.ts'
import type { Row } from '../measure/report.ts'
import { formatMs, formatRatio } from '../measure/report.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const LARGE_BYTES = 200e6
const MEDIAN_BYTES = 38_000
const MAX_RATIO_KERNEL = 5
const MAX_RATIO_CHECK = 10
const MAX_RATIO_SERVED = 6
const MAX_RATIO_FIRST = 4
const SCANNER = join(import.meta.dirname, '..', '..', 'scanner')
const SCRIPT = join(import.meta.dirname, '..', 'measure', 'scan-log.ts')

const none = { sessionsPerAgent: 0, medianBytes: 0, damageShare: 0, agents: ['claude-code'] }

export const scan: Benchmark = {
  name: 'scan',
  *run(setting) {
    const large = makeLibrary(setting.folder, { ...none, largeBytes: LARGE_BYTES })
    try {
      yield* measureScan(setting, large)
      yield measureCheck(setting, large, 'one session of', large.countLines, 'wc -l', MAX_RATIO_CHECK)
    } finally {
      large.remove()
    }
    const many = makeLibrary(setting.folder, { ...none, sessionsPerAgent: 2000, medianBytes: MEDIAN_BYTES })
    try {
      yield measureCheck(setting, many, 'first time, 2,000 sessions,', many.cat, 'cat', MAX_RATIO_FIRST)
    } finally {
      many.remove()
    }
  },
}

function* measureScan({ folder, rounds }: Setting, library: Library): Generator<Row, void, void> {
  const [session] = library.made
  if (session === undefined) throw new Error('No session was made.')
  const { file } = session
  const own = (what: string) => () =>
    Number.parseFloat(outputOf({ file: process.execPath, args: [SCRIPT, what, file] }))
  const native = buildNative(folder, file)
  const runs = [() => cpuOnce(library.countLines), own('kernel'), own('wasm'), own('js')]
  const [countLines = 0, kernel = 0, wasm = 0, js = 0, alone = 0] = mediansOf(
    rounds,
    native === undefined ? runs : [...runs, () => cpuOnce(native)],
  )
  const size = formatBytes(library.bytes)
  const row = (name: string, ms: number, target: number | undefined): Row => ({
    name: `${name}, ${size}`,
    measured: `${formatMs(ms)} of the processor`,
    against: `wc -l ${formatMs(countLines)}, scanner in JavaScript ${formatMs(js)}`,
    ratio: `${formatRatio(ms / countLines)}, ${formatRatio(ms / js)}`,
    target: target === undefined ? '' : `≤ ${target} × wc -l`,
    isMet: target === undefined ? undefined : ms / countLines <= target,
  })
  yield row('scan, kernel in WebAssembly', kernel, MAX_RATIO_KERNEL)
  if (native !== undefined) yield row('scan, kernel as a native program', alone, undefined)
  yield row('scan and index in WebAssembly', wasm, undefined)
  const [lines = 0, served = 0] = mediansOf(rounds, [() => timeOnce(library.countLines), own('served')])
  yield {
    name: `check in a running server, two threads, ${size}`,
    measured: formatMs(served),
    against: `wc -l ${formatMs(lines)}`,
    ratio: formatRatio(served / lines),
    target: `≤ ${MAX_RATIO_SERVED} × wc -l`,
    isMet: served / lines <= MAX_RATIO_SERVED,
  }
}

/** Undefined where there is no Rust. */
function buildNative(folder: string, log: string): Command | undefined {
  const target = join(folder, 'native')
  const args = ['build', '--release', '--offline', '--features', 'native', '--bin', 'scan-native']
  const env = { ...process.env, CARGO_TARGET_DIR: target }
  if (spawnSync('cargo', args, { cwd: SCANNER, env }).status !== 0) return undefined
  const fields = join(folder, 'fields')
  outputOf({ file: process.execPath, args: [SCRIPT, 'program', fields] })
  return { file: join(target, 'release', 'scan-native'), args: [fields, log] }
}

function measureCheck(
  { program, rounds }: Setting,
  library: Library,
  what: string,
  plain: Command,
  plainName: string,
  target: number,
): Row {
  const check = (scanner: string) => () =>
    cpuOnce(program.run('--home', library.home, '--state', library.freshState(), 'check', '--json'), scanner)
  const [tool = 0, wasm = 0, js = 0] = mediansOf(rounds, [() => cpuOnce(plain), check('wasm'), check('js')])
  return {
    name: `check, ${what} ${formatBytes(library.bytes)}`,
    measured: `${formatMs(wasm)} of the processor`,
    against: `${plainName} ${formatMs(tool)}, scanner in JavaScript ${formatMs(js)}`,
    ratio: `${formatRatio(wasm / tool)}, ${formatRatio(wasm / js)}`,
    target: `≤ ${target} × ${plainName}`,
    isMet: wasm / tool <= target,
  }
}

const TIMED = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1'

/** The milliseconds that a process and its children had of the processor, as bash counts them. */
function cpuOnce({ file, args }: Command, scanner?: string): number {
  const env = scanner === undefined ? process.env : { ...process.env, RETHREAD_SCANNER: scanner }
  const { status, stderr } = spawnSync('bash', ['-c', TIMED, 'bash', file, ...args], { encoding: 'utf8', env })
  const seconds = stderr.trim().split(' ').map(Number)
  if (status !== 0 || seconds.length !== 2) throw new Error(`${file} ended with ${status}: ${stderr}`)
  return seconds.reduce((sum, part) => sum + part * 1000, 0)
}
