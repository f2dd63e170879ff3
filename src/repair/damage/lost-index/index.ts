// The files beside a log that the agent uses to find it are unusable or point to another place. They are
// derived: the repair moves them away, and the agent makes them again.

import type { IndexProblem } from '../../../agents/repair.ts'
import { paste } from '../../../model/paste.ts'
import type { Detected, LogDamage, LogSubject, Planned } from '../damage.ts'

const ID = 'lost-index'

export const lostIndex: LogDamage = {
  id: ID,
  title: 'session missing from the index',
  why: 'The agent lists its sessions in another file, and that file does not name this one. The agent does not offer it for resuming. A repair corrects the entry, or moves the list to the vault so that the agent creates it again.',
  framing: 'json-lines',
  breaksStore: true,
  appliesTo: (traits, repair) => traits.indexBeside && repair.checkIndex !== undefined,
  detect(subject) {
    const troubles = subject.repair.checkIndex?.(subject.session, subject) ?? []
    const describeAll = (all: readonly IndexProblem[]): Detected[] => all.map(trouble => describe(subject, trouble))
    return Array.isArray(troubles) ? describeAll(troubles) : troubles.then(describeAll)
  },
  plan,
  inflict(target) {
    const { session, repair } = target
    if (repair.framing !== 'json-lines') return undefined
    const broken = repair.breakIndex?.(session, target.read(session.filePath))
    if (broken === undefined) return undefined
    target.write(broken.file, broken.bytes)
    return { what: `${broken.file} overwritten`, destroyed: 0 }
  },
}

function describe({ session }: LogSubject, trouble: IndexProblem): Detected {
  const finding = {
    damage: ID,
    severity: 'survived' as const,
    at: { file: trouble.file, start: 0, end: 0 },
    text: trouble.text,
    hint: `Close the agent, then repair it: ${paste('rethread repair', session.sessionId)}`,
  }
  return { finding, detail: trouble, isFatal: trouble.isFatal }
}

function plan(_: LogSubject, detected: readonly Detected[]): Planned {
  const planned: Planned = { changes: [], refused: [] }
  for (const { finding, detail } of detected) {
    const { changes, refused } = detail as IndexProblem
    if (refused === undefined) planned.changes.push(...changes.map(change => ({ ...change, damage: ID })))
    else planned.refused.push({ finding, reason: refused })
  }
  return planned
}
