// Damage of records that only the store can find, because it knows what its agent accepts. The store proposes
// edits; this module makes the findings and the plan.

import type { LogRepair, RawEdit } from '../../../agents/repair.ts'
import type { Traits } from '../../../agents/store.ts'
import type { Severity } from '../../../model/finding.ts'
import { paste } from '../../../model/paste.ts'
import type { ByteEdit } from '../../../model/plan.ts'
import type { Detected, Inflict, LogDamage, LogSubject, Planned } from '../damage.ts'
import { RUNNING_CALL } from '../damage.ts'

export interface FoundDamage {
  start: number
  end: number
  text: string
  repair: ProposedRecordRepair
  /** The agent loads nothing while this damage exists. */
  isFatal?: boolean
}

export type ProposedRecordRepair = { edits: RawEdit[]; reason: string } | { refused: string }

export interface StoreDamage<Part> {
  id: string
  title: string
  why: string
  version?: number
  severity?: Severity
  /** Where it is not damage while the agent writes. */
  textWhileWritten?: string
  hint?(sessionId: string): string
  /** Whether sessions of a store with these traits can have it. Default: all. */
  appliesTo?(traits: Traits): boolean
  /** The store's knowledge of this damage. Without it, its sessions cannot have the damage. */
  knownBy(repair: LogRepair): Part | undefined
  find(part: Part, subject: LogSubject): FoundDamage[] | Promise<FoundDamage[]>
  inflict: Inflict
}

export function makeStoreDamage<Part>(damage: StoreDamage<Part>): LogDamage {
  const { id, title, why, version, severity = 'survived', hint, appliesTo = () => true, knownBy, inflict } = damage
  const describe = (subject: LogSubject, found: readonly FoundDamage[]): Detected[] =>
    found.map(one => {
      const text = subject.isLive ? damage.textWhileWritten : undefined
      if (text !== undefined) return detectedFrom(id, subject, { ...one, text }, 'updating')
      const { finding, detail } = detectedFrom(id, subject, one, severity)
      const words = hint === undefined ? finding : { ...finding, hint: hint(subject.session.sessionId) }
      return { finding: words, detail, ...(one.isFatal === true ? { isFatal: true } : {}) }
    })
  return {
    id,
    title,
    why,
    version,
    framing: 'json-lines',
    appliesTo: (traits, repair) => traits.isCompressed !== true && appliesTo(traits) && knownBy(repair) !== undefined,
    detect(subject) {
      const part = knownBy(subject.repair)
      const found = part === undefined ? [] : damage.find(part, subject)
      return Array.isArray(found) ? describe(subject, found) : found.then(all => describe(subject, all))
    },
    plan: (subject, detected) => planRepairs(id, subject, detected),
    inflict,
  }
}

/** The hint for damage that keeps the agent from loading anything, or makes it drop content. */
export function repairFirst(sessionId: string): string {
  return `Repair it before the agent runs again: ${paste('rethread repair', sessionId)}`
}

export function detectedFrom(damage: string, subject: LogSubject, found: FoundDamage, severity: Severity): Detected {
  const { filePath, sessionId } = subject.session
  const finding = {
    damage,
    severity,
    at: { file: filePath, start: found.start, end: found.end },
    text: found.text,
    hint: hintFor(found, severity, sessionId),
  }
  return { finding, detail: severity === 'updating' ? undefined : found.repair }
}

function hintFor({ repair }: FoundDamage, severity: Severity, sessionId: string): string {
  if (severity === 'updating') return RUNNING_CALL.hint
  return 'refused' in repair ? `Not repaired: ${repair.refused}.` : `Repair it: ${paste('rethread repair', sessionId)}`
}

export function planRepairs(damage: string, subject: LogSubject, detected: readonly Detected[]): Planned {
  const edits: ByteEdit[] = []
  const refused: Planned['refused'] = []
  for (const { finding, detail } of detected) {
    const repair = detail as ProposedRecordRepair | undefined
    if (repair === undefined) continue
    if ('refused' in repair) refused.push({ finding, reason: repair.refused })
    else for (const edit of repair.edits) edits.push({ ...edit, damage, reason: repair.reason })
  }
  const sorted = withoutOverlaps(edits)
  return {
    changes: sorted.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits: sorted }],
    refused,
  }
}

const SPACE = 0x20

/** Blanks a record in place, so that nothing after it moves. The newline of its line stays. */
export function blankRecord({ start, end, text }: Omit<FoundDamage, 'repair'>, reason: string): FoundDamage {
  return { start, end, text, repair: { edits: [{ start, end, bytes: Buffer.alloc(end - start, SPACE) }], reason } }
}

/** Two repairs may edit the same link. The first is applied; the other scans the result in the next round. */
function withoutOverlaps(edits: readonly ByteEdit[]): ByteEdit[] {
  const kept: ByteEdit[] = []
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end))
    if (edit.start >= (kept.at(-1)?.end ?? 0)) kept.push(edit)
  return kept
}
