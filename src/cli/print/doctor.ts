// Prints what the doctor found, what a fix would change, and what it changed.
import type { ListingChange } from '../../agents/listing.ts'
import type { Context } from '../../catalog/context.ts'
import type { Fix, FixResult } from '../../doctor/fix.ts'
import type { DoctorFinding, DoctorReport } from '../../doctor/report.ts'
import { paste } from '../../model/paste.ts'
import { cleanLine } from './clean.ts'
import type { Output, Style } from './output.ts'
import { plural, shortenHome } from './words.ts'

const STYLES: Record<DoctorFinding['severity'], Style> = { lost: 'bad', warning: 'warn', notice: 'dim' }
/** `--json` has all of it. */
const MAX_EVIDENCE = 5
const MAX_SESSIONS = 5
const MAX_CHANGES = 12

export function describeReport(output: Output, context: Context, report: DoctorReport): string {
  const blocks = report.findings.map(finding => describeFinding(output, context, finding))
  return [...blocks, describeTotals(report)].join('\n\n')
}

function describeFinding(output: Output, context: Context, finding: DoctorFinding): string {
  const { severity, kind, reason, text, evidence, command, counts, sessions } = finding
  const label = output.style(STYLES[severity], `${severity} (${reason ?? kind})`)
  const home = context.environment.home
  const shown = evidence.slice(0, MAX_EVIDENCE).map(line => `  ${output.style('dim', cleanLine(short(line, home)))}`)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const ids = sessions.slice(0, MAX_SESSIONS).map(({ sessionId }) => cleanLine(sessionId))
  const more = total > ids.length ? ` and ${total - ids.length} more` : ''
  return [
    `${label} ${cleanLine(short(text, home))}`,
    ...(total === 0 ? [] : [`  ${describeCounts(context, counts)}: ${ids.join(', ')}${more}`]),
    ...shown,
    ...(evidence.length > MAX_EVIDENCE
      ? [`  ${output.style('dim', `and ${evidence.length - MAX_EVIDENCE} more`)}`]
      : []),
    ...(command === undefined
      ? []
      : [`  ${finding.isFixable ? 'Fix it' : 'Next'}: ${output.style('accent', cleanLine(command))}`]),
  ].join('\n')
}

function short(text: string, home: string): string {
  return text
    .split(' ')
    .map(word => shortenHome(word, home))
    .join(' ')
}

/** The number of conversations of each agent, with its title. */
export function describeCounts({ agents }: Context, counts: Record<string, number>): string {
  const titleOf = (id: string): string => agents.find(agent => agent.id === id)?.title ?? id
  return Object.entries(counts)
    .map(([id, count], index) => `${index === 0 ? plural(count, 'conversation') : count} of ${titleOf(id)}`)
    .join(', ')
}

function describeTotals({ totals, findings }: DoctorReport): string {
  const { sessions, listed, lost, unknown } = totals
  if (sessions === 0) return 'No agent has sessions on this disk.'
  const parts = [
    `${plural(sessions, 'session')} on disk: ${listed} listed by their agent`,
    ...(lost > 0 ? [`${lost} not listed`] : []),
    ...(unknown > 0 ? [`${unknown} of stores whose list rethread does not know`] : []),
  ]
  const fixable = findings.filter(({ isFixable }) => isFixable).length
  return [`${parts.join(', ')}.`, ...(fixable > 1 ? ['Fix all of them: rethread doctor --fix'] : [])].join('\n')
}

export function describeFix(output: Output, context: Context, { agent, sessions, plan, text }: Fix): string {
  const home = context.environment.home
  const changes = [...plan.changes, ...(plan.whenClosed ?? [])]
  const lines = changes.slice(0, MAX_CHANGES).map(change => `  ${cleanLine(short(formatListingChange(change), home))}`)
  const more = changes.length - MAX_CHANGES
  return [
    `${output.style('bold', agent.title)}: ${plural(sessions.length, 'conversation')}. ${cleanLine(short(text, home))}`,
    ...lines,
    ...(more > 0 ? [`  ${output.style('dim', `and ${plural(more, 'more change')}`)}`] : []),
    ...plan.notes.map(note => `  ${output.style('warn', cleanLine(short(note, home)))}`),
  ].join('\n')
}

export function formatListingChange(change: ListingChange): string {
  switch (change.type) {
    case 'patch':
      return `edit ${change.file} in ${plural(change.edits.length, 'place')}`
    case 'remove':
      return `move ${change.file} to the vault`
    case 'write':
    case 'copy-in':
      return `write ${change.file}`
    case 'move':
      return `rename ${change.file} to ${change.to}`
    case 'row':
      return `${change.change.type} a row of ${change.table} in ${change.file}`
    case 'rebuild-database':
      return `rebuild ${change.file}`
  }
}

export function describeResult(output: Output, context: Context, result: FixResult): string {
  const title = context.agents.find(({ id }) => id === result.agent)?.title ?? result.agent
  const notes = result.notes.map(note => `  ${output.style('warn', cleanLine(note))}`)
  if (result.error !== undefined)
    return [
      `${output.style('bad', 'not changed')} ${title}: ${cleanLine(result.error.text)}`,
      `  ${cleanLine(result.error.hint)}`,
      ...notes,
    ].join('\n')
  if (result.receipt === undefined) return [`${title}: nothing to change.`, ...notes].join('\n')
  return [
    `${output.style('good', 'fixed')} ${title}: ${plural(result.sessions, 'conversation')}. Undo it: ${output.style('accent', paste('rethread undo', result.receipt))}`,
    ...notes,
  ].join('\n')
}

/** Without the bytes: a plan can be as large as the sessions. */
export function fixJson({ agent, sessions, plan, text }: Fix): object {
  const of = (changes: readonly ListingChange[]): object[] =>
    changes.map(change => ({
      type: change.type,
      file: change.file,
      ...(change.type === 'move' ? { to: change.to } : {}),
      ...(change.type === 'patch' ? { edits: change.edits.length } : {}),
      ...(change.type === 'row' ? { table: change.table, change: change.change.type } : {}),
    }))
  return {
    agent: agent.id,
    text,
    sessions: sessions.map(({ sessionId }) => sessionId),
    changes: of(plan.changes),
    whenClosed: of(plan.whenClosed ?? []),
    notes: plan.notes,
  }
}
