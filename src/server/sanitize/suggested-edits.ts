// A suggested fix as byte edits, so that the page can show exactly what changes.
import type { Suggestion } from '../../agents/sanitizer.ts'
import type { ApiEdit } from '../api.ts'
import { describeEdit } from '../plan.ts'

const MAX_EDITS_SHOWN = 50

interface Edit {
  start: number
  end: number
  bytes: Buffer
}

export function editsOf(before: Buffer, suggestion: Suggestion): { edits: ApiEdit[]; moreEdits: number } {
  const all = splitEdits(before, suggestion)
  const edited = { range: (start: number, end: number) => before.subarray(start, end), size: before.length }
  const why = { damage: 'suggested-fix', reason: suggestion.text }
  const edits = all.slice(0, MAX_EDITS_SHOWN).map(edit => describeEdit({ ...edit, ...why }, edited))
  return { edits, moreEdits: all.length - edits.length }
}

/**
 * Removals stay separate edits. If bytes are added too, it is one edit from the first difference to the last.
 */
function splitEdits(before: Buffer, { bytes, removals }: Suggestion): Edit[] {
  const cuts = removals.map(({ start, end }) => ({ start, end, bytes: Buffer.alloc(0) }))
  return without(before, cuts).equals(bytes) ? cuts : [difference(before, bytes)]
}

function without(bytes: Buffer, cuts: readonly Edit[]): Buffer {
  const kept: Buffer[] = []
  let at = 0
  for (const { start, end } of cuts) {
    kept.push(bytes.subarray(at, start))
    at = end
  }
  return Buffer.concat([...kept, bytes.subarray(at)])
}

function difference(before: Buffer, after: Buffer): Edit {
  const length = Math.min(before.length, after.length)
  let start = 0
  while (start < length && before[start] === after[start]) start++
  let tail = 0
  while (tail < length - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return { start, end: before.length - tail, bytes: after.subarray(start, after.length - tail) }
}
