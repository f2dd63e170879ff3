// What an agent's folder has found by itself, with the cure it proposes: the same way to findings and to a plan for all damages of that kind.

import type { RawEdit } from '../../../agents/mend.ts'
import type { Severity } from '../../../model/finding.ts'
import { paste } from '../../../model/paste.ts'
import type { ByteEdit } from '../../../model/plan.ts'
import type { Detected, LogSubject, Planned } from '../damage.ts'
import { RUNNING_CALL } from './running-call.ts'

export interface Found {
  start: number
  end: number
  text: string
  cure: Cure
}

export type Cure = { edits: RawEdit[]; reason: string } | { refused: string }

export function detectFound(damage: string, subject: LogSubject, found: Found, severity: Severity): Detected {
  const { filePath, sessionId } = subject.session
  const finding = {
    damage,
    severity,
    at: { file: filePath, start: found.start, end: found.end },
    text: found.text,
    hint: hintFor(found, severity, sessionId),
  }
  return { finding, detail: severity === 'updating' ? undefined : found.cure }
}

function hintFor({ cure }: Found, severity: Severity, sessionId: string): string {
  if (severity === 'updating') return RUNNING_CALL.hint
  return 'refused' in cure ? `Not repaired: ${cure.refused}.` : `Repair it: ${paste('rethread repair', sessionId)}`
}

export function planCures(damage: string, subject: LogSubject, detected: readonly Detected[]): Planned {
  const edits: ByteEdit[] = []
  const refused: Planned['refused'] = []
  for (const { finding, detail } of detected) {
    const cure = detail as Cure | undefined
    if (cure === undefined) continue
    if ('refused' in cure) refused.push({ finding, reason: cure.refused })
    else for (const edit of cure.edits) edits.push({ ...edit, damage, reason: cure.reason })
  }
  const sorted = withoutOverlaps(edits)
  return {
    changes: sorted.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits: sorted }],
    refused,
  }
}

const SPACE = 0x20

/** A record that stands in the way: blanked in place, so that nothing behind it moves. The newline of its line stays. */
export function detectInTheWay(
  damage: string,
  subject: LogSubject,
  { start, end, text }: Omit<Found, 'cure'>,
  reason: string,
): Detected {
  const edits = [{ start, end, bytes: Buffer.alloc(end - start, SPACE) }]
  return detectFound(damage, subject, { start, end, text, cure: { edits, reason } }, 'survived')
}

/** Two cures may want the same link: the first gets it, and the other looks again at what that leaves. */
function withoutOverlaps(edits: readonly ByteEdit[]): ByteEdit[] {
  const kept: ByteEdit[] = []
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end))
    if (edit.start >= (kept.at(-1)?.end ?? 0)) kept.push(edit)
  return kept
}
