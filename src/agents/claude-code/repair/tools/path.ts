// The way along the links from the last record that is loaded back to a root: what is put in between two records has to lie on it.
import type { RecordIndex } from '../../../../repair/records/record-index.ts'
import { NONE } from '../../../../repair/records/record-index.ts'

export interface Path {
  has(record: number): boolean
  /** The record on the way that names this one as its parent, or NONE. */
  child(record: number): number
  /** How the way ends: at a record that is a root, at one whose parent is nowhere, or at one it has met before. */
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
    // What was compacted is behind the conversation, whatever the boundary names.
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
 * The records on the way from this one on that belong to the same message of the model and stand together. Older versions take lines behind a
 * result for another message, so it is behind the last of these that they look for the results.
 */
export function linesTogether(index: RecordIndex, path: Path, record: number): number[] {
  const group = index.group(record)
  const lines = [record]
  if (group === undefined) return lines
  for (let at = path.child(record); at !== NONE; at = path.child(at)) {
    if (index.group(at) === group) lines.push(at)
    else if (index.kind(at) !== 'progress' && index.kind(at) !== 'system') break
  }
  return lines
}
