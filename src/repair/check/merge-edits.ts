// Several damage classes plan edits of one file at the same time. Of edits that touch the same bytes, only
// the one whose class is earlier in the list is made. The other classes scan the result in the next round.
import type { ByteEdit } from '../../model/plan.ts'

/** Returns edits sorted by offset, without overlaps. `edits` come in the order of repair. */
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
