// Describes what a repair did, as text.

import type { Context } from '../../catalog/context.ts'
import type { Recovered } from '../../disk/vault/recover.ts'
import { formatNumber } from '../../model/format-number.ts'
import { paste } from '../../model/paste.ts'
import { countReasons } from '../../model/plan.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Repaired } from '../../repair/repair.ts'
import { cleanLine } from './clean.ts'
import type { Output } from './output.ts'
import { repairTotals } from './repair-json.ts'
import { describeLoads, formatVerdict, loadingAgentOf } from './verdict.ts'
import { plural } from './words.ts'

const MAX_REASONS_SHOWN = 8

export function describeRepair(output: Output, context: Context, done: Repaired): string {
  const { report, before, verdict } = done
  const loader = loadingAgentOf(context, verdict)
  const id = output.style('bold', cleanLine(verdict.sessionId))
  switch (report.status) {
    case 'already_healthy':
      return `${output.style('good', '✓')} ${id}  ${describeLoads(verdict, loader)} Nothing was changed.`
    case 'repaired':
      return [
        `${output.style('good', '✓')} ${id}  Repaired with ${plural(report.edits, 'edit')}. ${loadsNow(done, loader.title)}`,
        ...reasons(done).map(reason => `    ${cleanLine(reason)}`),
        ...(verdict.status === 'healthy' ? [] : [`  What is left:\n${formatVerdict(output, context, verdict)}`]),
        `    Undo it: ${output.style('accent', `${paste('rethread undo', report.receipt ?? verdict.sessionId)}`)}`,
      ].join('\n')
    case 'failed':
    case 'refused':
      return [
        `${output.style('warn', '✗')} ${id}  Not repaired. ${describeLoads(isThere(verdict) ? before : verdict, loader)}`,
        `    ${cleanLine(report.error?.text ?? '')}`,
        `    ${output.style('accent', cleanLine(report.error?.hint ?? ''))}`,
      ].join('\n')
  }
}

/** If the session has disappeared since, the verdict before the repair no longer holds. */
function isThere({ status }: Verdict): boolean {
  return status !== 'missing' && status !== 'unreadable'
}

function loadsNow({ before, verdict }: Repaired, title: string): string {
  const now = plural(verdict.loads.now, 'message')
  if (before.loads.now === verdict.loads.now) return `${title} loads ${now}, as before.`
  return `${title} loads ${now} now; before it would have loaded ${formatNumber(before.loads.now)}.`
}

/** Each reason once, for all edits that have it. Too many reasons are grouped by damage. */
function reasons({ changes }: Repaired): string[] {
  const all = countReasons(changes)
  if (all.length <= MAX_REASONS_SHOWN) return all.map(({ damage, text }) => `${damage}: ${text}`)
  const damages = new Map<string, number>()
  for (const { damage, edits } of all) damages.set(damage, (damages.get(damage) ?? 0) + edits)
  return [
    ...[...damages].map(([damage, count]) => `${damage}: ${plural(count, 'edit')}`),
    'Each of them: rethread repairs --json',
  ]
}

export function describeRepairTotals(repaired: readonly Repaired[]): string {
  const totals = repairTotals(repaired)
  const words = [
    ['repaired', 'repaired'],
    ['already_healthy', 'healthy already'],
    ['refused', 'left alone'],
    ['failed', 'failed'],
  ].flatMap(([key = '', word = '']) => ((totals[key] ?? 0) > 0 ? [`${totals[key]} ${word}`] : []))
  return `${plural(repaired.length, 'session')}: ${words.join(', ')}`
}

export function printInterrupted(output: Output, recovered: readonly Recovered[]): void {
  for (const { text } of recovered) output.remark(`${output.style('warn', '⚠')} ${cleanLine(text)}`)
}
