// The record that says which session this is was lost or torn, and without it the agent loads nothing. It is made again from facts alone, or not at all.

import type { RebuiltHeader } from '../../../agents/mend.ts'
import type { Finding } from '../../../model/finding.ts'
import { paste } from '../../../model/paste.ts'
import type { ByteEdit } from '../../../model/plan.ts'
import type { Detected, LogDamage, LogSubject, Planned } from '../damage.ts'
import { inflict } from './inflict.ts'

const ID = 'lost-header'

export const lostHeader: LogDamage = {
  id: ID,
  title: 'lost header',
  why: 'The first record, which names the session, is missing or damaged. The agent does not find the session at all. A repair rebuilds it from what the other records say.',
  framing: 'json-lines',
  concerns: (traits, mend) => traits.headerRecord && traits.isCompressed !== true && mend.header !== undefined,
  async detect(subject) {
    const { header } = subject.mend
    // Where there is no record at all, no header is missed.
    if (header === undefined || subject.index.length === 0 || header.isPresent(subject)) return []
    return [{ finding: findingOf(subject), detail: await header.rebuild(subject) }]
  },
  plan,
  inflict,
}

function findingOf({ session }: LogSubject): Finding {
  return {
    damage: ID,
    severity: 'lost',
    at: { file: session.filePath, start: 0, end: 0 },
    text: 'No record names the session, so the agent finds nothing to load.',
    hint: `Repair it before the agent runs again: ${paste('rethread repair', session.sessionId)}`,
  }
}

function plan(subject: LogSubject, detected: readonly Detected[]): Planned {
  const planned: Planned = { changes: [], refused: [] }
  for (const { finding, detail } of detected) {
    const rebuilt = detail as RebuiltHeader
    if ('refused' in rebuilt) planned.refused.push({ finding, reason: rebuilt.refused })
    else {
      const edit: ByteEdit = { ...rebuilt, damage: ID }
      planned.changes.push({ type: 'patch', file: subject.session.filePath, edits: [edit] })
    }
  }
  return planned
}
