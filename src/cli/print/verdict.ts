// Describes a verdict for people: what a resume loads, what is wrong, and what to do next.

import type { Context } from '../../catalog/context.ts'
import type { Finding } from '../../model/finding.ts'
import { formatNumber } from '../../model/format-number.ts'
import type { LoadingAgent } from '../../model/load-words.ts'
import { describeLoading } from '../../model/load-words.ts'
import type { Place } from '../../model/message.ts'
import { paste } from '../../model/paste.ts'
import type { Verdict } from '../../model/verdict.ts'
import { describeVerdict, isUnrecoverable } from '../../model/verdict-words.ts'
import { cleanLine } from './clean.ts'
import type { Output, Style } from './output.ts'
import { plural } from './words.ts'

const MAX_FINDINGS_SHOWN = 6

/** Several lines, without a final newline. */
export function formatVerdict(output: Output, context: Context, verdict: Verdict): string {
  const loader = loadingAgentOf(context, verdict)
  const { loss, repair } = describeVerdict(verdict, loader)
  const outlook = [loss, repair].filter(sentence => sentence !== undefined).join(' ')
  const lines = [headline(output, verdict, loader), ...(outlook === '' ? [] : [`    ${cleanLine(outlook)}`])]
  for (const finding of verdict.findings.slice(0, MAX_FINDINGS_SHOWN)) lines.push(...describeFinding(output, finding))
  const more = verdict.findings.length + verdict.moreFindings - MAX_FINDINGS_SHOWN
  if (more > 0)
    lines.push(
      output.style(
        'dim',
        `    and ${plural(more, 'more place')}: ${paste('rethread check --json', verdict.sessionId)}`,
      ),
    )
  for (const refusal of verdict.refusals)
    lines.push(`    ${output.style('warn', 'not repaired:')} ${cleanLine(refusal.text)}`)
  if (verdict.reason !== undefined)
    lines.push(`    ${cleanLine(verdict.reason.text)}`, `    ${output.style('accent', cleanLine(verdict.reason.hint))}`)
  lines.push(...describeNotes(output, verdict))
  return lines.join('\n')
}

/** Notes are not damage, but they can prevent a resume. */
export function describeNotes(output: Output, { notes = [] }: Pick<Verdict, 'notes'>): string[] {
  return notes.flatMap(({ text, hint }) => [
    `    ${output.style('warn', cleanLine(text))}`,
    ...hint.split('\n').map(line => `    ${output.style('accent', cleanLine(line))}`),
  ])
}

const MARKS: Record<Verdict['status'], { mark: string; style: Style }> = {
  healthy: { mark: '✓', style: 'good' },
  corrupted: { mark: '✗', style: 'bad' },
  busy: { mark: '…', style: 'warn' },
  unreadable: { mark: '✗', style: 'bad' },
  missing: { mark: '?', style: 'warn' },
}

export function loadingAgentOf(context: Context, { agent }: Verdict): LoadingAgent {
  return context.agents.find(({ id }) => id === agent) ?? { title: agent }
}

function headline(output: Output, verdict: Verdict, loader: LoadingAgent): string {
  const { mark, style } = MARKS[verdict.status]
  const id = cleanLine(verdict.sessionId)
  return `${output.style(style, mark)} ${output.style('bold', id)}  ${describeLoads(verdict, loader)}`
}

/** What a resume would load. */
export function describeLoads(verdict: Verdict, loader: LoadingAgent): string {
  const { status, loads } = verdict
  const { title } = loader
  switch (status) {
    case 'healthy':
      return loads.now === 0
        ? `${title} session without any messages.`
        : `Healthy: ${describeLoading(verdict, loader)}.`
    case 'corrupted':
      if (isUnrecoverable(verdict)) return `Damaged: ${describeVerdict(verdict, loader).headline}`
      if (loads.now >= loads.afterRepair) return `Damaged: ${describeLoading(verdict, loader)}.`
      return `Damaged: ${describeLoading(verdict, loader)}; after repair ${formatNumber(loads.afterRepair)}.`
    case 'busy':
      return `${title} session that is busy.`
    case 'unreadable':
      return `${title} session that cannot be read.`
    case 'missing':
      return `${title} session that no longer exists.`
  }
}

function describeFinding(output: Output, finding: Finding): string[] {
  return [
    `    ${output.style('warn', finding.damage)} ${output.style('dim', describeExactPlace(finding.at))}`,
    `      ${cleanLine(finding.text)}`,
  ]
}

function describeExactPlace(at: Place): string {
  if ('table' in at) return `table ${cleanLine(at.table)}, row ${cleanLine(String(at.row))}`
  const place =
    at.start === at.end
      ? `at byte ${formatNumber(at.start)}`
      : `bytes ${formatNumber(at.start)} to ${formatNumber(at.end)}`
  return `${place} of ${cleanLine(at.file)}`
}
