// Shared by all damage classes of a tree of JSON files.

import type { ParsedTreeFile, TreeFile } from '../../../agents/repair.ts'
import type { Closing } from '../../../bytes/close-object.ts'
import { closeObject } from '../../../bytes/close-object.ts'
import type { Finding } from '../../../model/finding.ts'
import { paste } from '../../../model/paste.ts'
import type { ByteEdit, Patch } from '../../../model/plan.ts'
import type { Detected, InflictTarget, TreeSubject } from '../damage.ts'

/** A file that may still be written is not damage yet. */
export function describeFile(
  subject: TreeSubject,
  { file, bytes }: { file: string; bytes: Buffer },
  finding: Pick<Finding, 'damage' | 'severity' | 'text'>,
): Detected {
  const { sessionId } = subject.session
  const at = { file, start: 0, end: bytes.length }
  if (!subject.isLive) return { finding: { ...finding, at, hint: `Repair it: ${paste('rethread repair', sessionId)}` } }
  const text = `${file} is not complete: the agent may still be writing it.`
  const hint = `Check again in a moment: ${paste('rethread check', sessionId)}`
  return { finding: { damage: finding.damage, severity: 'updating', at, text, hint } }
}

/** How the file can be made usable for the agent with only its own bytes; undefined where it cannot. */
function closingOf({ repair }: TreeSubject, file: ParsedTreeFile): Closing | undefined {
  return closeObject(file.bytes, repair.texts).find(({ value }) => repair.refuses(file, value) === undefined)
}

/** Whether the repair can keep everything that the file says. */
export function isFullyRecoverable(subject: TreeSubject, file: ParsedTreeFile): boolean {
  return closingOf(subject, file)?.isWhole === true
}

/** The edits that make the file usable for the agent; undefined where there are none. */
export function closeFile(subject: TreeSubject, file: ParsedTreeFile, damage: string): Patch | undefined {
  const closing = closingOf(subject, file)
  if (closing === undefined) return undefined
  const reason = reasonFor(closing)
  const edits = closing.edits.map((edit): ByteEdit => ({ ...edit, damage, reason }))
  return { type: 'patch', file: file.file, edits }
}

function reasonFor(closing: Closing): string {
  if (closing.isWhole) return 'Correct the JSON; the vault keeps stray bytes'
  return closing.hasCutText
    ? 'Close the JSON where it was cut, in the middle of a text'
    : 'Complete the JSON from its own bytes; the vault keeps the rest'
}

export function isEmptyFile(bytes: Buffer): boolean {
  return bytes.every(byte => byte === 0 || byte === 0x20 || byte === 0x0a)
}

/** For `inflict` only. */
export function breakableFiles({ repair, session }: InflictTarget, ...roles: TreeFile['role'][]): TreeFile[] {
  return repair.framing === 'json-tree' ? repair.files(session).filter(file => roles.includes(file.role)) : []
}
