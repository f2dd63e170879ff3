// A verdict in sentences that agree with each other. The terminal and the page use the same ones.
import type { Finding } from './finding.ts'
import { formatNumber } from './format-number.ts'
import type { LoadingAgent } from './load-words.ts'
import { describeLoading, messages } from './load-words.ts'
import type { Verdict } from './verdict.ts'

export interface VerdictWords {
  /** What a resume loads now, and after a repair. */
  headline: string
  /** What the damage destroyed. Absent if that is not known, or the headline says it. */
  loss?: string
  /** What a repair would do. Absent if none is needed. */
  repair?: string
}

/** Damaged, and the agent would load nothing, now or after a repair. */
export function isUnrecoverable({ status, loads }: Pick<Verdict, 'status' | 'loads'>): boolean {
  return status === 'corrupted' && loads.now === 0 && loads.afterRepair === 0
}

/**
 * A repair would change something, and the agent would load something afterwards. Damage that another command
 * repairs does not count.
 */
export function isRepairable(verdict: Verdict): boolean {
  const { status, loads, refusals, findings, mendedBy } = verdict
  if (status !== 'corrupted' || mendedBy !== undefined || isUnrecoverable(verdict)) return false
  const refused = new Set(refusals.map(({ damage }) => damage))
  const hasRepair = findings.some(({ damage, severity }) => severity !== 'updating' && !refused.has(damage))
  return loads.afterRepair > loads.now || refusals.length === 0 || hasRepair
}

export function describeVerdict(verdict: Verdict, loader: LoadingAgent): VerdictWords {
  const { status, loads, reason } = verdict
  const { title } = loader
  switch (status) {
    case 'healthy':
      return {
        headline: loads.now === 0 ? 'This conversation has no messages.' : `${describeLoading(verdict, loader)}.`,
      }
    case 'corrupted':
      return describeDamaged(verdict, loader)
    case 'busy':
      return { headline: reason?.text ?? `${title} may still be writing.` }
    case 'missing':
      return { headline: 'This conversation no longer exists.' }
    case 'unreadable':
      return { headline: reason?.text ?? 'This conversation cannot be read.' }
  }
}

function describeDamaged(verdict: Verdict, loader: LoadingAgent): VerdictWords {
  const { loads } = verdict
  if (isUnrecoverable(verdict))
    return { headline: `${loader.title} would load nothing, and no repair can bring anything back.` }
  const loss = describeLoss(verdict)
  const said = { ...(loss === undefined ? {} : { loss }), repair: describeRepair(verdict) }
  const now = describeLoading(verdict, loader)
  if (loads.now >= loads.afterRepair) return { ...said, headline: `${now}, but something is wrong with the file.` }
  return { ...said, headline: `${now}. After repair: ${formatNumber(loads.afterRepair)}.` }
}

/** Every message exists and can be loaded after a repair, and no damage remains. */
function isAllSaved(verdict: Verdict): boolean {
  const { findings, moreFindings, refusals, mendedBy } = verdict
  if (moreFindings > 0 || refusals.length > 0 || mendedBy !== undefined) return false
  return findings.every(({ severity }) => severity === 'survived') && stillMissing(verdict) === 0
}

/** Messages that no resume would load after the repair, apart from those that the headline explains. */
function stillMissing({ loads, messageCount, notLoaded = [], copies = 0 }: Verdict): number {
  const explained = notLoaded.reduce((sum, { messages: number }) => sum + number, copies)
  return Math.max(0, messageCount - loads.afterRepair - explained)
}

function describeLoss(verdict: Verdict): string | undefined {
  const lost = verdict.findings.filter(({ severity }) => severity === 'lost').length
  if (lost > 0) {
    const places = `${formatNumber(lost)} ${lost === 1 ? 'place' : 'places'}`
    return `Content is lost in ${verdict.moreFindings > 0 ? 'at least ' : ''}${places}.`
  }
  return isAllSaved(verdict) ? 'No message is lost.' : undefined
}

function describeRepair(verdict: Verdict): string {
  const { loads, mendedBy, refusals } = verdict
  if (mendedBy !== undefined) return `Repair it with its own command: ${mendedBy}`
  if (!isRepairable(verdict)) return 'It cannot be repaired.'
  const more = loads.afterRepair - loads.now
  if (more > 0 && isAllSaved(verdict)) return `A repair brings back all ${messages(loads.afterRepair)}.`
  const rest = refusals.length > 0 ? ' Some damage remains.' : ''
  const short = stillMissing(verdict)
  const away = short > 0 ? ` ${messages(short)} still cannot be loaded.` : ''
  if (more > 0)
    return `A repair brings back ${formatNumber(more)} more ${more === 1 ? 'message' : 'messages'}.${away}${rest}`
  return `A repair fixes the file; the same messages are loaded.${away}${rest}`
}

/** The meaning of one finding, considering all of them. */
export function describeMeaning(verdict: Verdict, { severity, damage }: Pick<Finding, 'severity' | 'damage'>): string {
  const isRefused = isUnrecoverable(verdict) || verdict.refusals.some(refusal => refusal.damage === damage)
  switch (severity) {
    case 'updating':
      return 'May still be incomplete'
    case 'lost':
      return isRefused ? 'Content is lost and cannot be repaired' : 'Content is lost'
    case 'survived':
      if (isRefused) return 'Cannot be repaired'
      return isAllSaved(verdict) ? 'No message is lost' : 'Damage'
  }
}
