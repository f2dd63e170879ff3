// Keeps rows, and writes docs/verified-restores.md from them.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ACP_AGENTS } from './acp-agents.ts'
import { AFTERWORD, FOREWORD, HOW_TO_READ } from './document-words.ts'
import { SCENARIOS } from './index.ts'
import type { Row } from './row.ts'

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'verified-restores.md')
/** From one run to the next, so that a single scenario can be run again. */
const KEPT = join(tmpdir(), 'rethread-real-kept', 'restores')

export function keepRow(row: Row): void {
  mkdirSync(KEPT, { recursive: true })
  writeFileSync(fileOf(row.agent, row.version, row.scenario), JSON.stringify(row))
}

export function writeDocument(): void {
  const runs = ACP_AGENTS.map(agent => ({ agent, rows: rowsOf(agent.title, agent.version) }))
  const installs = runs.map(({ agent, rows }) => [
    agent.title,
    agent.version,
    `\`npm install ${agent.npmPackage}@${agent.version}\``,
    String(rows.length),
    rows[0] === undefined ? 'not run' : dayOf(rows[0]),
  ])
  const sections = runs.map(
    ({ agent, rows }) => `## ${agent.title} ${agent.version}\n\n${tableOf(COLUMNS, rows.map(cellsOf))}`,
  )
  const all = runs.flatMap(({ rows }) => rows)
  const faulty = all.filter(({ faults }) => faults.length > 0).length
  const summary = `${all.length} scenarios. ${faulty === 0 ? 'All went as they have to.' : `${faulty} did not go as they have to; the tables say what happened.`}`
  const parts = [FOREWORD, summary, tableOf(INSTALLS, installs), HOW_TO_READ, ...sections, AFTERWORD]
  writeFileSync(DOCUMENT, `${parts.join('\n\n').trim()}\n`)
}

const INSTALLS = ['agent', 'version', 'install command', 'scenarios', 'run on']
const COLUMNS = ['scenario', 'strategy', 'history', 'what the journal says was lost', 'remarks']

function cellsOf({ scenario, rung, before, after, lost, remarks, faults }: Row): string[] {
  const history = before === undefined ? '' : `${before} → ${after ?? 'none'}`
  const notes = [...faults.map(fault => `**differs**: ${fault}`), ...remarks]
  return [scenario, rung ?? '', history, lost ?? '', notes.join('; ')]
}

function rowsOf(agent: string, version: string): Row[] {
  return Object.keys(SCENARIOS).flatMap(scenario => {
    const file = fileOf(agent, version, scenario)
    const row: Row[] = existsSync(file) ? [JSON.parse(readFileSync(file, 'utf8'))] : []
    return row
  })
}

function dayOf({ agent, version, scenario }: Row): string {
  return statSync(fileOf(agent, version, scenario))
    .mtime.toISOString()
    .slice(0, 10)
}

function fileOf(agent: string, version: string, scenario: string): string {
  return join(KEPT, `${`${agent} ${version} ${scenario}`.replaceAll(/[^a-z0-9.]+/gi, '-')}.json`)
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
