// Many damages plan edits of one file at once. Those that touch the same bytes cannot all be made: the damage that is earlier in the list goes first, the others
// look again at what it leaves.
import type { ByteEdit } from '../../model/plan.ts'

/** Sorted by place, none overlapping another. `edits` come in the order of repair. */
export function mergeEdits(edits: readonly ByteEdit[]): ByteEdit[] {
  const sorted = edits
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.order - b.order)
  const merged: { edit: ByteEdit; order: number }[] = []
  for (const next of sorted) {
    const last = merged.at(-1)
    if (last === undefined || next.edit.start >= last.edit.end) merged.push(next)
    else if (next.order < last.order) merged[merged.length - 1] = next
  }
  return merged.map(({ edit }) => edit)
}
