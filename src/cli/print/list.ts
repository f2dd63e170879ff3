// Prints the list of conversations as a table.

import type { Context } from '../../catalog/context.ts'
import type { ListedSession, SessionList } from '../../catalog/list.ts'
import type { Failure } from '../../model/errors.ts'
import { formatNumber } from '../../model/format-number.ts'
import { paste } from '../../model/paste.ts'
import { describeArchived } from '../../model/session.ts'
import { cleanLine, cleanText, cleanTextWithPath } from './clean.ts'
import type { Column } from './layout.ts'
import { renderTable } from './layout.ts'
import type { Output } from './output.ts'
import { formatAge, formatSize, plural, shortenHome } from './words.ts'

const COLUMNS: Column[] = [
  { header: ' ' },
  { header: 'ID' },
  { header: 'AGENT' },
  { header: 'AGE', align: 'right' },
  { header: 'MESSAGES', align: 'right' },
  { header: 'SIZE', align: 'right' },
  { header: 'PROJECT' },
  { header: 'TITLE', flexible: true },
]
const LEAST_ID_CHARACTERS = 8
const MAX_PROJECT_CHARACTERS = 32
const MAX_FAILURES_SHOWN = 5

export async function printList(output: Output, context: Context, list: SessionList): Promise<void> {
  if (list.sessions.length === 0) await printNothing(output, context, list)
  else await printTable(output, context, list)
  printFailures(output, context, list.failures)
  if (context.log.skipped > 0 && context.log.path !== undefined)
    output.remark(`${plural(context.log.skipped, 'place')} skipped while reading; each is in ${context.log.path}`)
}

async function printTable(output: Output, context: Context, list: SessionList): Promise<void> {
  const length = uniqueLength(list.sessions.map(session => session.sessionId))
  const rows = list.sessions.map(session => rowOf(session, context, length))
  const style = (line: string, row: number): string => {
    if (row === -1) return output.style('dim', line)
    const session = list.sessions[row]
    if (session?.status === 'corrupted' || session?.failure !== undefined) return output.style('bad', line)
    return session?.partial === true ? output.style('warn', line) : line
  }
  await output.write(`${renderTable(COLUMNS, rows, output.columns, style)}\n`)
  if (!output.isTerminal) return
  const damaged = list.sessions.filter(session => session.status === 'corrupted').length
  const partial = list.sessions.filter(session => session.partial && session.status !== 'corrupted').length
  const closed = list.sessions.filter(({ failure }) => failure === 'permission-denied').length
  const unread = list.sessions.filter(({ failure }) => failure !== undefined).length - closed
  const facts = [
    plural(list.sessions.length, 'conversation'),
    ...(list.more > 0 ? [`${formatNumber(list.more)} older (--limit 0 shows all)`] : []),
    ...(list.hidden > 0 ? [`${formatNumber(list.hidden)} hidden (--hidden lists them)`] : []),
    ...(partial > 0 ? [`${partial} ⚠ read only in part`] : []),
    ...(closed > 0 ? [`${closed} ⊘ without permission to read`] : []),
    ...(unread > 0 ? [`${unread} ! could not be read`] : []),
    ...(damaged > 0 ? [`${damaged} ✗ damaged (rethread repair --all repairs them)`] : []),
  ]
  const folderless = list.sessions.filter(({ notes }) => notes !== undefined).length
  if (folderless > 0) facts.push(`${folderless} whose project folder is gone`)
  const [newest] = list.sessions
  await output.write(`\n${output.style('dim', facts.join(' · '))}\n`)
  if (newest !== undefined)
    await output.write(
      `${output.style('dim', `Read one: ${paste('rethread show', newest.sessionId.slice(0, length))}`)}\n`,
    )
}

function rowOf(session: ListedSession, context: Context, idLength: number): string[] {
  const agent = context.agents.find(candidate => candidate.id === session.agent)
  return [
    markOf(session),
    cleanLine(session.sessionId.slice(0, idLength)),
    agent?.title ?? session.agent,
    formatAge(Date.now() - Date.parse(session.updatedAt)),
    session.failure === undefined ? formatNumber(session.messageCount) : '?',
    formatSize(session.fileSize),
    shortProject(session.project, context) + (session.notes === undefined ? '' : ' (gone)'),
    (session.pinned === true ? '★ ' : '') +
      (session.subagentOf === undefined ? '' : '↳ ') +
      archivedMark(session, agent?.title ?? session.agent) +
      cleanLine(session.title ?? titleWithout(session)) +
      (session.tags ?? []).map(tag => ` #${cleanLine(tag)}`).join(''),
  ]
}

function markOf({ status, partial, failure }: ListedSession): string {
  if (failure !== undefined) return failure === 'permission-denied' ? '⊘' : '!'
  if (status === 'corrupted') return '✗'
  return partial ? '⚠' : ' '
}

function archivedMark({ archived }: ListedSession, title: string): string {
  if (archived === undefined) return ''
  const { deletedAt, isByAgent } = archived
  const time = deletedAt === null ? {} : { deletedAt: Date.parse(deletedAt) }
  return `(${describeArchived({ chain: '', isByAgent, ...time }, title)}) `
}

function titleWithout({ failure }: ListedSession): string {
  if (failure === 'permission-denied') return '(no permission to read it)'
  return failure === undefined ? '(no title)' : '(could not be read)'
}

/** A long path loses its start: its end says more. */
function shortProject(project: string | null, context: Context): string {
  if (project === null) return ''
  const path = cleanLine(shortenHome(project, context.environment.home))
  return path.length <= MAX_PROJECT_CHARACTERS ? path : `…${path.slice(1 - MAX_PROJECT_CHARACTERS)}`
}

/** The length at which all ids differ. Ids made within the same second start alike. */
export function uniqueLength(ids: string[]): number {
  const sorted = [...new Set(ids)].sort()
  let length = LEAST_ID_CHARACTERS
  for (const [index, id] of sorted.entries()) {
    const next = sorted[index + 1]
    while (next !== undefined && length < id.length && id.slice(0, length) === next.slice(0, length)) length++
  }
  return length
}

async function printNothing(output: Output, context: Context, list: SessionList): Promise<void> {
  await output.write('No conversations found.\n')
  if (list.hidden > 0) await output.write(`${plural(list.hidden, 'hidden conversation')}: rethread list --hidden\n`)
  if (list.failures.length > 0) return
  await output.write(
    `rethread searched for ${context.agents.map(agent => agent.title).join(', ')} below ${cleanLine(context.environment.home)}.\n` +
      'See every folder it searches: rethread agents\n' +
      'If your sessions are below another home folder: rethread --home DIR list\n',
  )
}

export function printFailures(output: Output, context: Context, failures: Failure[], command = 'rethread list'): void {
  for (const failure of failures.slice(0, MAX_FAILURES_SHOWN)) {
    const title = context.agents.find(agent => agent.id === failure.agent)?.title ?? failure.agent
    // A name that no agent knows belongs to none.
    const subject = title === '' ? '' : `${title}: `
    const text = cleanTextWithPath(failure.text, failure.path)
    output.remark(`\n${output.style('bad', '✗')} ${subject}${text}\n  ${cleanText(failure.hint)}`)
  }
  const more = failures.length - MAX_FAILURES_SHOWN
  if (more > 0) output.remark(`\nand ${plural(more, 'more failure')}; all of them: ${command} --json`)
}
