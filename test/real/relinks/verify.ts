// Plays the cases by hand and keeps what came of them: node test/real/relinks/verify.ts [--agent A] [--version V] [--case TEXT] [--write]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startModelServer } from '../model-server.ts'
import { versions } from '../versions.ts'
import { RELINK_CASES } from './cases.ts'
import { writeDocument } from './document.ts'
import { type RelinkRow, recordForRelinks, verifyRelink } from './verify-relink.ts'

const { values } = parseArgs({
  options: {
    agent: { type: 'string' },
    version: { type: 'string' },
    case: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const agents = process.env['RETHREAD_TEST_REAL_AGENTS']
const folder = join(tmpdir(), 'rethread-real-relinks')
const rowsFile = join(folder, 'rows.json')

if (values.write) writeDocument(readRows())
else if (agents === undefined)
  throw new Error('RETHREAD_TEST_REAL_AGENTS has to name the folder with the agents: see README.md')
else await play(agents)

function readRows(): RelinkRow[] {
  return existsSync(rowsFile) ? (JSON.parse(readFileSync(rowsFile, 'utf8')) as RelinkRow[]) : []
}

function keep(row: RelinkRow): void {
  const others = readRows().filter(
    ({ agent, version, id }) => agent !== row.agent || version !== row.version || id !== row.id,
  )
  writeFileSync(rowsFile, JSON.stringify([...others, row], null, 1))
}

async function play(installed: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const server = await startModelServer()
  try {
    for (const version of versions) {
      if ((values.agent ?? version.id) !== version.id || (values.version ?? version.version) !== version.version)
        continue
      const cases = RELINK_CASES.filter(
        one =>
          one.agent === version.id &&
          (one.versions?.includes(version.version) ?? true) &&
          (values.case === undefined || one.id.includes(values.case)),
      )
      if (cases.length === 0) continue
      const stage = await recordForRelinks(folder, version, server, installed)
      for (const one of cases) {
        const row = await verifyRelink(stage, one)
        keep(row)
        const { agent, healthy, before, after, wrong, how } = row
        const line = `${agent} ${row.version}: ${one.id}: healthy ${healthy}, before ${before}, after ${after}, ${how}`
        process.stdout.write(`${line}${wrong.length === 0 ? '' : `\n  WRONG: ${wrong.join('\n  ')}`}\n`)
      }
    }
  } finally {
    await server.stop()
  }
}
