// Writes docs/verified-repairs.md from the rows of the proof.
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AFTERWORD, FOREWORD, HOW_TO_READ } from './document-words.ts'
import { REAL_AGENTS } from './index.ts'
import { judge } from './judge.ts'
import type { AgentCommands } from './real-agent.ts'
import type { Outcome, Row } from './row.ts'
import { allRows, fileOf } from './rows.ts'

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'verified-repairs.md')

export function writeDocument(folder: string): void {
  const rows = allRows(folder)
  const versions = REAL_AGENTS.flatMap(agent => agent.versions.map(version => ({ agent, version })))
  const sections = versions.flatMap(({ agent, version }) => {
    const own = rows.filter(row => row.agent === agent.id && row.version === version)
    return own.length === 0 ? [] : [sectionOf(`${agent.title} ${version}`, own)]
  })
  const runs = versions.map(({ agent, version }) => runOf(folder, agent, version, rows))
  const text = [FOREWORD, summaryOf(rows), tableOf(INSTALLS, runs), HOW_TO_READ, ...sections, AFTERWORD].join('\n\n')
  writeFileSync(DOCUMENT, `${text.trim()}\n`)
}

const INSTALLS = ['agent', 'version', 'install command', 'cases', 'run on']

function runOf(folder: string, agent: AgentCommands, version: string, rows: readonly Row[]): string[] {
  const own = rows.filter(row => row.agent === agent.id && row.version === version)
  const command = `\`npm install ${agent.npmPackage}@${version}\``
  const day = own[0] === undefined ? 'not run' : statSync(fileOf(folder, own[0])).mtime.toISOString().slice(0, 10)
  return [agent.title, version, command, String(own.length), day]
}

function summaryOf(rows: readonly Row[]): string {
  const mixed = rows.filter(({ damages }) => damages.length > 1).length
  const costly = rows.filter(({ damaged }) => damaged.missing.length > 0).length
  const refused = rows.filter(row => row.isBeyondRepair && isAsSaid(row)).length
  const whole = rows.filter(isAsSaid).length - refused
  const different = rows.length - whole - refused
  const worse = rows.filter(({ damaged, repaired }) => repaired.missing.length > damaged.missing.length).length
  return [
    `${rows.length} cases, ${mixed} of them with two to four damages at once.`,
    `In ${costly} the damage cost the agent something, often everything.`,
    `In ${whole} the agent got back all that was not destroyed, and loaded exactly as many messages as`,
    'the check had said, before and after the repair.',
    `In ${refused} nothing could be repaired, and nothing was changed.`,
    `${different === 0 ? 'None went differently.' : `${different} went differently, as the tables say.`}`,
    `In ${worse === 0 ? 'none' : worse} the agent got less after the repair than before it.`,
  ].join('\n')
}

function isAsSaid(row: Row): boolean {
  return judge(row).faults.length === 0
}

function sectionOf(title: string, rows: readonly Row[]): string {
  const [first] = rows
  const head = `## ${title}\n\nThe healthy session sends ${first?.healthy} messages with the new prompt; the check counts ${first?.healthyLoads} of them as loaded.`
  const single = rows.filter(({ damages }) => damages.length === 1)
  const mixed = rows.filter(({ damages }) => damages.length > 1)
  const tables = [single, mixed].filter(some => some.length > 0).map(some => tableOf(COLUMNS, some.map(cellsOf)))
  return [head, ...tables].join('\n\n')
}

const COLUMNS = ['damage', 'what was done', 'damaged', 'check said', 'repaired', 'check said', 'verdict']

function cellsOf(row: Row): string[] {
  const names = row.damages.map(id => `\`${id}\``).join(' + ')
  const said = (loads: number) => String(loads)
  return [
    row.seed === 1 || row.damages.length > 1 ? names : `${names} (${row.seed})`,
    row.what.join('; '),
    shown(row.damaged),
    said(row.loads.now),
    shown(row.repaired),
    said(row.loads.afterRepair),
    verdictOf(row),
  ]
}

function shown({ how, sent }: Outcome): string {
  switch (how) {
    case 'went on':
      return String(sent)
    case 'refused':
      return `0 (${sent}, refused)`
    case 'never ended':
      return '0 (never ended)'
    case 'sent nothing':
      return '0 (gave up)'
  }
}

function verdictOf(row: Row): string {
  const { faults } = judge(row)
  const { missing } = row.repaired
  if (faults.length > 0) return `**differs**: ${faults.join('; ')}`
  if (row.isBeyondRepair) return 'rightly refused'
  if (missing.length === 0) return 'whole'
  return `all but ${missing.length} destroyed`
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
