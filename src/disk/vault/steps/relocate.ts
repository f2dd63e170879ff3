// The paths of a change once later changes of the same receipt have moved the folder around it.
import { sep } from 'node:path'
import type { FileBefore, StoredChange, StoredMove } from '../receipt.ts'

/** Each change with its paths after all changes. For checks only: a roll-back uses the original paths. */
export function afterMoves(changes: readonly StoredChange[]): StoredChange[] {
  return changes.map((change, index) =>
    changes
      .slice(index + 1)
      .filter(isOfFolder)
      .reduce(relocate, change),
  )
}

function isOfFolder(change: StoredChange): change is StoredMove {
  return change.type === 'move' && change.moved.kind === 'folder'
}

function relocate(change: StoredChange, { path: from, to }: StoredMove): StoredChange {
  const at = (path: string): string => (path.startsWith(from + sep) ? to + path.slice(from.length) : path)
  const file = <Before extends FileBefore>(before: Before): Before => ({ ...before, path: at(before.path) })
  switch (change.type) {
    case 'patch':
      return { ...change, before: file(change.before) }
    case 'remove':
      return { ...change, before: file(change.before) }
    case 'write':
      return { ...change, path: at(change.path), before: change.before && file(change.before) }
    case 'move':
      return { ...change, path: at(change.path), to: at(change.to), before: change.before && file(change.before) }
    case 'rows':
    case 'rebuild-database':
      return { ...change, path: at(change.path), before: change.before.map(file) }
  }
}
