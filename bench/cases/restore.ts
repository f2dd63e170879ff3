// Bringing a conversation back against beginning one, by each strategy; a flood of updates; and the memory that long conversations take.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf, peakMemory } from '../measure/processes.ts'
import { formatMs, type Row } from '../measure/report.ts'
import type { RestoreFigures, RestoreLoad } from '../measure/restore-load.ts'
import { formatBytes } from '../sizes.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const STRATEGIES = [
  { strategy: 'resume', without: [] },
  { strategy: 'load', without: ['resume'] },
  { strategy: 'replay', without: ['resume', 'load'] },
]
const EVENTS = 1_000_000
const QUICK_EVENTS = 50_000
const MAX_MEMORY_BYTES = 120e6
const SCRIPT = join(import.meta.dirname, '..', 'measure', 'restore-load.ts')
/** With a small heap, so that garbage is not counted as memory in use. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4']

export const restore: Benchmark = {
  name: 'restore',
  *run(setting) {
    const folder = mkdtempSync(join(setting.folder, 'restore-'))
    const inside = (name: string): string => join(folder, name)
    try {
      for (const { strategy, without } of STRATEGIES)
        yield measureStrategy(strategy, { folder: inside(strategy), rounds: setting.rounds, without })
      yield measureFlood(setting, inside('flood'))
      const events = setting.isQuick ? QUICK_EVENTS : EVENTS
      const idle = peakMemory(command({ folder: inside('idle'), rounds: 1, without: [] }, ...SMALL_HEAP))
      for (const [name, load] of [
        ['a turn of as many updates', { flood: events }],
        ['restored by replay', { events }],
      ] as const) {
        const given: RestoreLoad = {
          folder: inside(`memory-${name.length}`),
          rounds: 1,
          without: ['resume', 'load'],
          ...load,
        }
        yield memoryRow(
          `${events.toLocaleString('en')} events, ${name}`,
          idle,
          peakMemory(command(given, ...SMALL_HEAP)),
        )
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

function command(load: RestoreLoad, ...flags: string[]) {
  return { file: process.execPath, args: [...flags, SCRIPT, JSON.stringify(load)] }
}

function measureStrategy(wanted: string, load: RestoreLoad): Row {
  const { beginMs, restoreMs, strategy }: RestoreFigures = JSON.parse(outputOf(command(load)))
  if (strategy !== wanted) throw new Error(`It came back by ${strategy}, not by ${wanted}.`)
  return {
    name: `restore by ${strategy}, 20 turns, the agent started again`,
    measured: formatMs(restoreMs),
    against: `starting it and beginning a session ${formatMs(beginMs)}`,
    ratio: `${(restoreMs / beginMs).toFixed(1)} ×`,
    target: '',
    isMet: undefined,
  }
}

function measureFlood({ isQuick }: Setting, folder: string): Row {
  const flood = isQuick ? QUICK_EVENTS : EVENTS
  const { updatesPerSecond }: RestoreFigures = JSON.parse(outputOf(command({ folder, rounds: 1, without: [], flood })))
  return {
    name: `a flood of ${flood.toLocaleString('en')} updates through a connection, each on the disk before it is notified`,
    measured: `${Math.round(updatesPerSecond).toLocaleString('en')}/s`,
    against: '',
    ratio: '',
    target: '',
    isMet: undefined,
  }
}

function memoryRow(name: string, idle: number, peak: number): Row {
  const above = peak - idle
  return {
    name: `memory of a conversation, ${name}`,
    measured: `${formatBytes(above)} above a short one`,
    against: `a short one ${formatBytes(idle)}`,
    ratio: '',
    target: `≤ ${formatBytes(MAX_MEMORY_BYTES)}`,
    isMet: above <= MAX_MEMORY_BYTES,
  }
}
