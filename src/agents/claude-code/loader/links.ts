// The links between records as one version of the agent sees them.
import { mainLane, NONE, type RecordIndex } from '../../../repair/records/record-index.ts'
import type { LoaderRules } from './rules.ts'

/** Instead of a parent: one is named, but the agent does not find it. NONE is a root. */
export const MISSING = -2

export interface LoaderLinks {
  index: RecordIndex
  rules: LoaderRules
  /** Records of a sub-agent in the same file are on another lane. */
  lane: boolean
  /** The parent by the number of the record, or NONE or MISSING. */
  parents: Int32Array
}

export function linksFor(index: RecordIndex, rules: LoaderRules): LoaderLinks {
  const parents = new Int32Array(index.length)
  for (let record = 0; record < index.length; record++) {
    const parent = index.parent(record)
    if (!index.namesParent(record)) parents[record] = NONE
    else if (parent === NONE || !isKnownRecord(index, parent, rules)) parents[record] = MISSING
    else if (!rules.elidesProgress || index.kind(parent) !== 'progress') parents[record] = parent
    // The agent makes one pass over the file: the parent of a progress report is known only if the report
    // comes first.
    else parents[record] = parent < record ? (parents[parent] ?? MISSING) : MISSING
  }
  return { index, rules, parents, lane: mainLane(index) }
}

/** The agent ignores records of other types, whatever they link to. */
export function isKnownRecord(index: RecordIndex, record: number, rules: LoaderRules): boolean {
  switch (index.kind(record)) {
    case 'talk':
    case 'system':
    case 'attachment':
    case 'boundary':
      return true
    case 'progress':
      return rules.knowsProgress
    case 'header':
    case 'rewind':
    case 'change':
    case 'other':
      return false
  }
}

/** A record at which a conversation can end, or a broken path can continue. */
export function isStop({ index, rules }: LoaderLinks, record: number): boolean {
  if (!index.hasId(record) || index.isSuperseded(record) || !isKnownRecord(index, record, rules)) return false
  return index.kind(record) !== 'progress' || !rules.elidesProgress
}

/**
 * Whether the agent recorded, between the previous message and this root, that the conversation starts over.
 */
export function startsOver(index: RecordIndex, root: number): boolean {
  for (let record = root - 1; record >= 0; record--) {
    if (index.kind(record) === 'other' && index.target(record) === '') return true
    if (index.kind(record) === 'talk' && index.isSidechain(record) === index.isSidechain(root)) return false
  }
  return false
}
