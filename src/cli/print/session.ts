// Prints a conversation for people.

import type { Context } from '../../catalog/context.ts'
import { folderNotes } from '../../catalog/project-folder.ts'
import { agentOf } from '../../catalog/reading.ts'
import type { Summary } from '../../catalog/summaries.ts'
import { openSummaries } from '../../catalog/summaries.ts'
import type { Labels } from '../../disk/state/labels.ts'
import { readLabels } from '../../disk/state/labels.ts'
import type { Finding } from '../../model/finding.ts'
import { formatNumber } from '../../model/format-number.ts'
import { paste, quoteWord } from '../../model/paste.ts'
import type { PartialCode, ReadingEnd } from '../../model/reading.ts'
import { isPartial } from '../../model/reading.ts'
import { describeArchived, type SessionRef } from '../../model/session.ts'
import type { ShowOptions } from '../arguments/show-options.ts'
import { readSelected } from '../arguments/show-options.ts'
import { cleanLine, cleanText } from './clean.ts'
import { makeMessagePrinter } from './message.ts'
import type { Output } from './output.ts'
import { describePlace, describeUsage, formatSize, plural, shortenHome } from './words.ts'

const MAX_FINDINGS_SHOWN = 20

export async function printSession(
  output: Output,
  context: Context,
  session: SessionRef,
  options: ShowOptions,
): Promise<ReadingEnd> {
  const labels = readLabels(context.state)
  const summary = await summaryOf(context, session)
  const isLocked = summary.partial === 'database-busy' || summary.failure?.code === 'database-busy'
  // `summaryOf` has already waited for the lock.
  const reading = readSelected(context, session, options, isLocked ? 0 : undefined)
  // The first step may throw, so it comes before anything is printed.
  let step = await reading.next()
  await output.write(heading(output, context, session, summary, labels))
  const printMessage = makeMessagePrinter(output, agentOf(context, session).title, options.isFull)
  for (; !step.done; step = await reading.next()) await output.write(printMessage(step.value))
  // The session changed after the first line was printed.
  if (isPartial(step.value) && summary.partial === undefined)
    await output.write(`\n${output.style('warn', partialMark(step.value.error.code, step.value.counts.skipped))}\n`)
  await output.write(ending(output, session, step.value, options))
  return step.value
}

/** The first line says whether the reading is partial, so the summary is read before the first message. */
async function summaryOf(context: Context, session: SessionRef): Promise<Summary> {
  const summaries = openSummaries(context)
  try {
    const known = session.isFromMemory === true ? undefined : summaries.known(session)
    return known ?? (await summaries.learn(session))
  } finally {
    summaries.close()
  }
}

function heading(output: Output, context: Context, session: SessionRef, summary: Summary, labels: Labels): string {
  const label = labels.get(session)
  const title = session.title ?? summary.title
  const project = session.project ?? summary.project
  const facts = [
    agentOf(context, session).title,
    ...(project === undefined ? [] : [cleanLine(shortenHome(project, context.environment.home))]),
    plural(summary.messageCount, 'message'),
    formatSize(session.fileSize),
    ...(summary.usage === undefined ? [] : [describeUsage(summary.usage.total)]),
    cleanLine(session.sessionId),
  ]
  const marks = [
    ...(label?.isPinned === true ? ['★ pinned'] : []),
    ...(label?.isHidden === true ? ['hidden'] : []),
    ...(label?.tags ?? []).map(tag => `#${tag}`),
    ...(label?.name !== undefined && title !== undefined ? [`titled "${title}" by its agent`] : []),
  ]
  const lines = [
    ...(summary.partial === undefined ? [] : [output.style('warn', partialMark(summary.partial, summary.skipped))]),
    output.style('bold', cleanLine(label?.name ?? title ?? '(no title)')),
    output.style('dim', facts.join(' · ')),
    ...(marks.length === 0 ? [] : [output.style('dim', cleanLine(marks.join(' · ')))]),
    ...(session.archived === undefined
      ? []
      : [output.style('warn', describeArchived(session.archived, agentOf(context, session).title))]),
    ...folderNotes(context, session, project).map(({ text }) => output.style('warn', cleanLine(text))),
  ]
  return `${lines.join('\n')}\n`
}

function partialMark(code: PartialCode, skipped: number): string {
  const words: Record<PartialCode, string> = {
    'still-being-written': 'conversation may be updating',
    'document-cut-short': 'conversation may be updating',
    'database-busy': 'database busy, showing the last good reading',
    'records-unreadable': `${plural(skipped, 'part')} could not be read`,
  }
  return `⚠ Partial data (${words[code]})`
}

function ending(output: Output, session: SessionRef, end: ReadingEnd, options: ShowOptions): string {
  const lines: string[] = []
  if (end.findings.length > 0) lines.push('', output.style('bold', skippedTitle(end)), ...findingLines(output, end))
  if (end.branches.length > 0 && options.branch === undefined) {
    lines.push('', output.style('bold', `${plural(end.branches.length, 'branch', 'branches')} besides this one:`))
    for (const branch of end.branches) {
      const kind = branch.kind === 'sidechain' ? 'subagent' : 'abandoned'
      lines.push(`  ${kind}, ${plural(branch.messages, 'message')}: ${cleanLine(branch.title)}`)
      lines.push(
        output.style('dim', `    ${paste(`rethread show --branch=${quoteWord(branch.id)}`, session.sessionId)}`),
      )
    }
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function skippedTitle(end: ReadingEnd): string {
  const skipped = end.findings.filter(finding => finding.severity !== 'survived').length + end.moreFindings
  if (!isPartial(end) || skipped === 0) return 'Everything was read, but:'
  return `${plural(skipped, 'place')} skipped:`
}

function findingLines(output: Output, end: ReadingEnd): string[] {
  const shown = end.findings.slice(0, MAX_FINDINGS_SHOWN).flatMap(finding => findingLine(output, finding))
  const more = end.findings.length - MAX_FINDINGS_SHOWN + end.moreFindings
  return more > 0 ? [...shown, `  and ${formatNumber(more)} more; all of them: --json`] : shown
}

function findingLine(output: Output, finding: Finding): string[] {
  const mark = finding.severity === 'survived' ? output.style('dim', '·') : output.style('warn', '⚠')
  return [
    `  ${mark} ${finding.damage} at ${describePlace(finding.at)}: ${cleanText(finding.text)}`,
    output.style('dim', `    ${cleanText(finding.hint)}`),
  ]
}
