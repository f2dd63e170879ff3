// The links between records as one version of the agent sees them.
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import {
  HAS_ID,
  KIND,
  kindFlag,
  mainLane,
  NAMES_PARENT,
  NONE,
  SUPERSEDED,
} from '../../../repair/records/record-index.ts'
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
  /** 1 for each record at which a conversation can end, or a broken path can continue. */
  stops: Uint8Array
}

/** Cached for each index: several damages ask for the same links. */
const known = new WeakMap<RecordIndex, LoaderLinks>()

export function linksFor(index: RecordIndex, rules: LoaderRules): LoaderLinks {
  const before = known.get(index)
  if (before?.rules === rules && before.parents.length === index.length) return before
  const links = makeLinks(index, rules)
  known.set(index, links)
  return links
}

function makeLinks(index: RecordIndex, rules: LoaderRules): LoaderLinks {
  const { flags } = index
  const named = index.parents
  // Copied before the first difference: most logs have none.
  let parents = named
  const stops = new Uint8Array(flags.length)
  for (let record = 0; record < flags.length; record++) {
    const own = flags[record] ?? 0
    if (isStop(own, rules)) stops[record] = 1
    if ((own & NAMES_PARENT) === 0) continue
    const parent = named[record] ?? NONE
    const kind = parent === NONE ? NONE : (flags[parent] ?? 0) & KIND
    const isKnown = parent !== NONE && isKnownKind(kind, rules)
    if (isKnown && !(rules.elidesProgress && kind === PROGRESS)) continue
    if (parents === named) parents = named.slice()
    // The agent makes one pass over the file: the parent of a progress report is known only if the report
    // comes first.
    parents[record] = isKnown && parent < record ? (parents[parent] ?? MISSING) : MISSING
  }
  return { index, rules, parents, stops, lane: mainLane(index) }
}

const [TALK, SYSTEM, ATTACHMENT] = [kindFlag('talk'), kindFlag('system'), kindFlag('attachment')]
const [BOUNDARY, PROGRESS] = [kindFlag('boundary'), kindFlag('progress')]

/** The agent ignores records of other types, whatever they link to. */
function isKnownKind(kind: number, rules: LoaderRules): boolean {
  if (kind === PROGRESS) return rules.knowsProgress
  return kind === TALK || kind === SYSTEM || kind === ATTACHMENT || kind === BOUNDARY
}

function isStop(flags: number, rules: LoaderRules): boolean {
  const kind = flags & KIND
  if ((flags & (HAS_ID | SUPERSEDED)) !== HAS_ID || !isKnownKind(kind, rules)) return false
  return kind !== PROGRESS || !rules.elidesProgress
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
