// Shared by all damage classes of one JSON document. One cached plan states what is wrong and what repairs
// it. Each class handles its own part of the plan.
import type { Edit } from '../../../bytes/edits.ts'
import type { DocumentFault, DocumentPlan, FaultKind } from '../../../bytes/salvage/index.ts'
import { losesBytes, planDocument } from '../../../bytes/salvage/index.ts'
import type { Severity } from '../../../model/finding.ts'
import { formatNumber } from '../../../model/format-number.ts'
import { paste } from '../../../model/paste.ts'
import type { ByteEdit } from '../../../model/plan.ts'
import type { Detected, DocumentDamage, DocumentSubject, Inflict, Planned } from '../damage.ts'
import { countBytes } from '../lines/line-damage.ts'

export interface DocumentPlace {
  start: number
  end: number
  text: string
  severity: Severity
  repair: ProposedDocumentRepair
}

/** Edits and the reason for them, or the reason why there are none. */
export type ProposedDocumentRepair = { edits: readonly Edit[]; reason: string } | { refused: string }

export interface DocumentDamageParts {
  id: string
  title: string
  why: string
  /** The part of the plan that this class handles. */
  kind: FaultKind
  /** Describes what is wrong and what the repair does. */
  describe(fault: DocumentFault, subject: DocumentSubject): { text: string; reason: string }
  /** Damage that this class finds beyond the plan. */
  findMore?(subject: DocumentSubject): DocumentPlace[]
  appliesTo?: DocumentDamage['appliesTo']
  inflict: Inflict
}

export function makeDocumentDamage(parts: DocumentDamageParts): DocumentDamage {
  const { id, title, why, kind, describe, findMore, appliesTo = () => true, inflict } = parts
  const placeOf = (fault: DocumentFault, subject: DocumentSubject): DocumentPlace => {
    const { text, reason } = describe(fault, subject)
    const severity = losesBytes(fault) ? 'lost' : 'survived'
    return { start: fault.start, end: fault.end, text, severity, repair: { edits: fault.edits, reason } }
  }
  return {
    id,
    title,
    why,
    framing: 'json-document',
    appliesTo,
    detect(subject) {
      const faults = planOf(subject).faults.filter(fault => fault.kind === kind)
      const places = [...faults.map(fault => placeOf(fault, subject)), ...(findMore?.(subject) ?? [])]
      return places.map(place => findingOf(id, subject, place))
    },
    plan: (subject, detected) => planPlaces(id, subject, detected),
    inflict,
  }
}

const plans = new WeakMap<DocumentSubject['bytes'], DocumentPlan>()

/** Plans the same bytes only once, however many classes ask. */
export function planOf(subject: Pick<DocumentSubject, 'bytes' | 'repair' | 'session'>): DocumentPlan {
  const known = plans.get(subject.bytes)
  if (known !== undefined) return known
  const plan = makePlan(subject)
  plans.set(subject.bytes, plan)
  return plan
}

/** Adds fields that the agent requires only where it would then load something. */
function makePlan({ bytes, repair, session }: Pick<DocumentSubject, 'bytes' | 'repair' | 'session'>): DocumentPlan {
  const plan = planDocument(bytes, repair)
  if (plan.elements === 0 || repair.refuses?.(plan.fields) === undefined) return plan
  const restore = repair.restoreFields?.bind(repair, session)
  return restore === undefined ? plan : planDocument(bytes, repair, restore)
}

/** Whether the agent can parse the document and finds all required fields. */
export function isUsable(subject: Pick<DocumentSubject, 'bytes' | 'repair' | 'session'>): boolean {
  const { isJson, list, fields } = planOf(subject).outline
  return isJson && list !== undefined && subject.repair.refuses?.(fields) === undefined
}

/** Why no repair can make the document usable; undefined where one can. */
export function whyBeyondRepair(subject: DocumentSubject): string | undefined {
  const { outline, hasList, elements, fields, faults } = planOf(subject)
  if (!hasList && outline.isJson) return 'it has no list of messages'
  if (!hasList) return outline.fault === undefined ? 'it ends before the first message' : 'no message in it is complete'
  if (elements === 0 && faults.some(losesBytes)) return 'no message in it is complete'
  return subject.repair.refuses?.(fields)
}

/** The agent may still be writing, and the end of the document may still come. */
export function mayStillBeWritten(subject: DocumentSubject): boolean {
  const { outline, hasList, faults } = planOf(subject)
  return subject.isLive && (faults.some(({ kind }) => kind === 'cut') || !(hasList || outline.isJson))
}

function findingOf(damage: string, subject: DocumentSubject, place: DocumentPlace): Detected {
  const { sessionId, filePath: file } = subject.session
  const { start, end, text, severity, repair } = place
  const at = { file, start, end }
  if (mayStillBeWritten(subject)) {
    const hint = `Check again in a moment: ${paste('rethread check', sessionId)}`
    const soft = 'The document is not complete: the agent may still be writing it.'
    return { finding: { damage, severity: 'updating', at, text: soft, hint } }
  }
  const isRepaired = 'edits' in repair && whyBeyondRepair(subject) === undefined
  const hint = isRepaired
    ? `Repair it: ${paste('rethread repair', sessionId)}`
    : `See what can be read: ${paste('rethread show', sessionId)}`
  return { finding: { damage, severity, at, text, hint }, detail: repair }
}

function planPlaces(damage: string, subject: DocumentSubject, detected: readonly Detected[]): Planned {
  if (mayStillBeWritten(subject)) return { changes: [], refused: [] }
  const beyondRepair = whyBeyondRepair(subject)
  const planned = { edits: [] as ByteEdit[], refused: [] as Planned['refused'] }
  for (const { finding, detail } of detected) {
    const repair: ProposedDocumentRepair =
      beyondRepair === undefined ? (detail as ProposedDocumentRepair) : { refused: beyondRepair }
    if ('edits' in repair)
      for (const edit of repair.edits) planned.edits.push({ ...edit, damage, reason: repair.reason })
    else planned.refused.push({ finding, reason: `Not repaired: ${repair.refused}.` })
  }
  const { edits, refused } = planned
  return { changes: edits.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits }], refused }
}

const EXCERPT_BYTES = 4096
const EXCERPT_CHARACTERS = 60

/** Describes a byte range of a document: its length, offset, message, and first bytes. */
export function nameBytes({ start, end, messagesBefore }: DocumentFault, { bytes }: DocumentSubject): string {
  const text = bytes.range(start, Math.min(end, start + EXCERPT_BYTES)).toString('utf8')
  const [, id] = /"(?:id|messageId)"\s*:\s*"?([\w.:-]{1,64})/.exec(text) ?? []
  const place = messagesBefore === 0 ? 'before the first message' : `after message ${formatNumber(messagesBefore)}`
  const words = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const excerpt = words.length > EXCERPT_CHARACTERS ? `${words.slice(0, EXCERPT_CHARACTERS)}…` : words
  const whose = id === undefined ? place : `${place}, of message ${id}`
  return `${countBytes(end - start)} from byte ${formatNumber(start)} on, ${whose}${excerpt === '' ? '' : ` (${excerpt})`}`
}

/** Names the message that a fault is in, by its number. */
export function nameMessage({ messagesBefore, isInside }: DocumentFault): string {
  if (!isInside)
    return messagesBefore === 0 ? 'before the first message' : `after message ${formatNumber(messagesBefore)}`
  return `in message ${formatNumber(messagesBefore + 1)}`
}
