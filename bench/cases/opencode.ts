// The API: how fast a view is built from the journal, how soon a client hears of its turn, and what it costs not to talk to the agent directly.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenCodeFigures, OpenCodeLoad, Times } from '../measure/opencode-load.ts'
import { outputOf } from '../measure/processes.ts'
import { formatRatio, type Row } from '../measure/report.ts'
import type { Benchmark, Setting } from './benchmark.ts'

const SIZES = { events: 100_000, prompts: 500 }
const QUICK_SIZES = { events: 20_000, prompts: 150 }
const SCRIPT = join(import.meta.dirname, '..', 'measure', 'opencode-load.ts')

export const opencode: Benchmark = {
  name: 'opencode',
  *run(setting) {
    const folder = mkdtempSync(join(setting.folder, 'opencode-'))
    try {
      const sizes = setting.isQuick ? QUICK_SIZES : SIZES
      yield* rowsOf(sizes, measure(setting, folder, sizes))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

function measure({ program, rounds }: Setting, folder: string, sizes: typeof SIZES): OpenCodeFigures {
  const home = join(folder, 'home')
  mkdirSync(home)
  const own = ['--home', home, '--state', join(folder, 'state')]
  const server = program.run(...own, 'server', '--json', '--port', '0')
  const load: OpenCodeLoad = { folder: join(folder, 'load'), rounds, server, ...sizes }
  return JSON.parse(outputOf({ file: process.execPath, args: [SCRIPT, JSON.stringify(load)] }))
}

function* rowsOf({ events, prompts }: typeof SIZES, figures: OpenCodeFigures): Generator<Row> {
  const { rebuildPerSecond, readPerSecond, api, direct } = figures
  yield {
    name: `a view built from ${events.toLocaleString('en')} events of the journal`,
    measured: `${Math.round(rebuildPerSecond).toLocaleString('en')} events/s`,
    against: `reading them alone ${Math.round(readPerSecond).toLocaleString('en')}/s`,
    ratio: `${((rebuildPerSecond / readPerSecond) * 100).toFixed(0)} %`,
    target: '',
    isMet: undefined,
  }
  yield timesRow(`from a prompt to the first event of its turn, ${prompts} prompts`, api.first)
  yield timesRow('from a prompt to the first words of the answer', api.answer, direct.answer)
  yield timesRow('from a prompt to the end of the answer', api.end, direct.end)
}

function timesRow(name: string, times: Times, direct?: Times): Row {
  const ratio =
    direct === undefined ? '' : `${formatRatio(times.p50 / direct.p50)}, ${formatRatio(times.p99 / direct.p99)}`
  const more = direct === undefined ? '' : `, ${(times.p99 - direct.p99).toFixed(1)} ms more at p99`
  return {
    name: `/opencode, ${name}`,
    measured: `${format(times)}${more}`,
    against: direct === undefined ? '' : `the agent directly ${format(direct)}`,
    ratio,
    target: '',
    isMet: undefined,
  }
}

function format({ p50, p99 }: Times): string {
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
}
