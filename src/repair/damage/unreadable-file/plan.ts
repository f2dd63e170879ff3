// Completes the file with its own bytes, or rewrites it from other files, or else removes it from the tree.
import type { ParsedTreeFile } from '../../../agents/repair.ts'
import type { Change } from '../../../model/plan.ts'
import type { Detected, Planned, TreeSubject } from '../damage.ts'
import { NOTHING_PLANNED } from '../damage.ts'
import { closeFile } from '../shared/trees.ts'

const DAMAGE = 'unreadable-file'

export function plan(subject: TreeSubject, detected: readonly Detected[]): Planned {
  if (subject.isLive) return NOTHING_PLANNED
  return { changes: detected.map(({ detail }) => repairFile(subject, detail as ParsedTreeFile)), refused: [] }
}

function repairFile(subject: TreeSubject, file: ParsedTreeFile): Change {
  return closeFile(subject, file, DAMAGE) ?? rebuild(subject, file)
}

function rebuild(subject: TreeSubject, file: ParsedTreeFile): Change {
  const remove = { type: 'remove', file: file.file, damage: DAMAGE } as const
  if (file.role === 'part') return { ...remove, reason: 'Move this unusable part to the vault' }
  const rebuilt = subject.repair.rebuildMessage(file, subject.files)
  if ('refused' in rebuilt)
    return {
      ...remove,
      reason: `Move this unusable message to the vault: ${rebuilt.refused}`,
    }
  return { type: 'write', damage: DAMAGE, ...rebuilt }
}
