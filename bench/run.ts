// node bench/run.ts [--quick] [--write] [name…]: measures rethread against cat, wc and find on generated sessions.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { benchmarks } from './cases/index.ts'
import { describeMachine } from './measure/machine.ts'
import { prepareProgram } from './measure/program.ts'
import type { Row } from './measure/report.ts'
import { formatTable } from './measure/report.ts'

const QUICK_ROUNDS = 3
const ROUNDS = 5
const RESULTS = join(import.meta.dirname, 'RESULTS.md')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
})
const unknown = positionals.find(name => !benchmarks.some(benchmark => benchmark.name === name))
if (unknown !== undefined)
  throw new Error(`There is no benchmark "${unknown}". There are: ${benchmarks.map(({ name }) => name).join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'rethread-bench-'))
const remove = () => rmSync(folder, { recursive: true, force: true })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    remove()
    process.exit(130)
  })
try {
  runAll()
} finally {
  remove()
}

function runAll(): void {
  const program = prepareProgram(folder)
  const what = program.isBuilt
    ? 'the built package'
    : 'the source of this checkout (npm run build, to measure what is shipped)'
  const machine = `${describeMachine()}; ${what}`
  process.stderr.write(`${machine}\n`)
  const setting = { program, folder, isQuick: values.quick, rounds: values.quick ? QUICK_ROUNDS : ROUNDS }
  const rows: Row[] = []
  for (const benchmark of benchmarks) {
    if (positionals.length > 0 ? !positionals.includes(benchmark.name) : benchmark.isOnDemand === true) continue
    for (const row of benchmark.run(setting)) {
      rows.push(row)
      process.stderr.write(`${row.name}: ${row.measured}, ${row.against}, ${row.ratio}\n`)
    }
  }
  const table = formatTable(rows)
  process.stdout.write(`\n${table}\n`)
  if (values.write) writeFileSync(RESULTS, resultsPage(machine, table, setting.rounds))
}

function resultsPage(machine: string, table: string, rounds: number): string {
  const date = new Date().toISOString().slice(0, 10)
  return `# Results

Measured on ${date} with \`npm run bench -- --write\`: ${machine}.
Medians of ${rounds} rounds (the start: 15) with warm caches; what the rows mean stands in README.md.

${table}
`
}
