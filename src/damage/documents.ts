// What all damages of one JSON document have in common: one pass over it, remembered, tells what is wrong and whether anything can be done.

import type { Edit } from '../bytes/edits.ts'
import type { Outline } from '../bytes/outline.ts'
import { outlineDocument } from '../bytes/outline.ts'
import type { Severity } from '../model/finding.ts'
import { paste } from '../model/paste.ts'
import type { ByteEdit } from '../model/plan.ts'
import type { Detected, DocumentDamage, DocumentSubject, Inflict, Planned } from './damage.ts'

export interface Place {
  start: number
  end: number
  text: string
  severity: Severity
  cure: Cure
}

/** An edit and the reason for it, or why there is none. */
export type Cure = { edit: Edit; reason: string } | { refused: string }

export interface DocumentDamageParts {
  id: string
  title: string
  find(outline: Outline, subject: DocumentSubject): Place[]
  inflict: Inflict
}

export function makeDocumentDamage({ id, title, find, inflict }: DocumentDamageParts): DocumentDamage {
  return {
    id,
    title,
    framing: 'json-document',
    concerns: () => true,
    detect: subject => find(outlineOf(subject), subject).map(place => describe(id, subject, place)),
    plan: (subject, detected) => planPlaces(id, subject, detected),
    inflict,
  }
}

const outlines = new WeakMap<DocumentSubject['bytes'], Outline>()

/** The same bytes are looked at once, however many damages ask. */
export function outlineOf({ bytes, mend }: Pick<DocumentSubject, 'bytes' | 'mend'>): Outline {
  const known = outlines.get(bytes)
  if (known !== undefined) return known
  const outline = outlineDocument(bytes, mend.lists)
  outlines.set(bytes, outline)
  return outline
}

/** Whether the agent can parse it, and finds what it insists on. */
export function isUsable(subject: Pick<DocumentSubject, 'bytes' | 'mend'>): boolean {
  const { hasMark, nuls, nulTail, commas, rest, fault, isClosed, list, fields } = outlineOf(subject)
  const isTidy = !hasMark && nuls.length + commas.length === 0 && nulTail === undefined && rest === undefined
  const isWhole = isClosed && fault === undefined && list !== undefined
  return isTidy && isWhole && subject.mend.refuses?.(fields) === undefined
}

/** Why a document would not be usable whatever were done to it; undefined where it can be mended. */
export function whyHopeless(subject: DocumentSubject): string | undefined {
  const { fault, isClosed, list, fields } = outlineOf(subject)
  if (fault !== undefined) return `it is broken at byte ${fault.at}, and what was meant there cannot be known`
  if (list === undefined) return isClosed ? 'it has no list of messages' : 'it ends before the first message'
  if (!isClosed && list.elements === 0) return 'no message in it is complete'
  return subject.mend.refuses?.(fields)
}

/** Somebody may be writing just now: the end of the document may still come. */
export function isUnfinished(subject: DocumentSubject): boolean {
  return subject.isLive && !outlineOf(subject).isClosed
}

function describe(damage: string, subject: DocumentSubject, place: Place): Detected {
  const { sessionId, filePath: file } = subject.session
  const { start, end, text, severity, cure } = place
  const at = { file, start, end }
  if (isUnfinished(subject)) {
    const hint = `Check again in a moment: ${paste('rethread check', sessionId)}`
    const soft = 'The document is not complete: it may still be being written.'
    return { finding: { damage, severity: 'updating', at, text: soft, hint } }
  }
  const isMended = 'edit' in cure && whyHopeless(subject) === undefined
  const hint = isMended
    ? `Repair it: ${paste('rethread repair', sessionId)}`
    : `See what can be read: ${paste('rethread show', sessionId)}`
  return { finding: { damage, severity, at, text, hint }, detail: cure }
}

function planPlaces(damage: string, subject: DocumentSubject, detected: readonly Detected[]): Planned {
  if (isUnfinished(subject)) return { changes: [], refused: [] }
  const hopeless = whyHopeless(subject)
  const planned = { edits: [] as ByteEdit[], refused: [] as Planned['refused'] }
  for (const { finding, detail } of detected) {
    const cure: Cure = hopeless === undefined ? (detail as Cure) : { refused: hopeless }
    if ('edit' in cure) planned.edits.push({ ...cure.edit, damage, reason: cure.reason })
    else planned.refused.push({ finding, reason: `Left as it is: ${cure.refused}.` })
  }
  const { edits, refused } = planned
  return { changes: edits.length === 0 ? [] : [{ type: 'patch', file: subject.session.filePath, edits }], refused }
}
