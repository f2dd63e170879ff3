// The path along the links from the last loaded record back to a root. Records are inserted on this path.
import type { RecordIndex } from '../../../../repair/records/record-index.ts'
import { NONE } from '../../../../repair/records/record-index.ts'

export interface Path {
  has(record: number): boolean
  /** The record on the path that names this one as its parent, or NONE. */
  child(record: number): number
  /**
   * How the path ends: at a root, at a record whose parent is missing, or at a record that was visited
   * before.
   */
  end: 'root' | 'gap' | 'circle'
}

const OFF = -2

export function followLinks(index: RecordIndex, leaf: number): Path {
  const children = new Int32Array(index.length).fill(OFF)
  let child = NONE
  let at = leaf
  while (at !== NONE && children[at] === OFF) {
    children[at] = child
    child = at
    // A boundary ends the path: the compacted part is before the conversation, whatever parent the boundary
    // names.
    at = index.kind(at) === 'boundary' ? NONE : index.parent(at)
  }
  return {
    has: record => children[record] !== OFF,
    child: record => Math.max(children[record] ?? NONE, NONE),
    end: at !== NONE ? 'circle' : child !== NONE && isGap(index, child) ? 'gap' : 'root',
  }
}

function isGap(index: RecordIndex, record: number): boolean {
  return index.namesParent(record) && index.kind(record) !== 'boundary'
}

/**
 * The adjacent records on the path, from this one on, that belong to the same message of the model. Older
 * versions take lines after a result for another message, so they expect the results after the last of these.
 */
export function adjacentLines(index: RecordIndex, path: Path, record: number): number[] {
  const group = index.group(record)
  const lines = [record]
  if (group === undefined) return lines
  for (let at = path.child(record); at !== NONE; at = path.child(at)) {
    if (index.group(at) === group) lines.push(at)
    else if (index.kind(at) !== 'progress' && index.kind(at) !== 'system') break
  }
  return lines
}
