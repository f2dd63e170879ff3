// Finds every broken link of a log and its new parent. All are planned together, so that the repairs of
// different classes never form a cycle.
import type { RecordIndex } from '../../records/record-index.ts'
import { KIND, META, mainLane, NAMES_PARENT, NONE, SIDECHAIN, SUPERSEDED } from '../../records/record-index.ts'
import type { LogSubject } from '../damage.ts'
import { countCompactions, findFallbackParents, isFitParent } from './agent-fallback.ts'
import { Forest, findCycles, isLinkedBy, PROGRESS } from './link-forest.ts'
import { chooseParents } from './new-parents.ts'
import type { Relink } from './relink.ts'

export interface LinkBreak extends Relink {
  /**
   * `opened`: the links would form a cycle if a parent were not missing. `root`: a second start in the
   * middle.
   */
  kind: 'missing' | 'circle' | 'opened' | 'root'
}

/** How often parents are chosen again because other links turned out to be wrong. */
const MAX_ROUNDS = 4

/** Several damage classes need the breaks of the same log. */
const known = new WeakMap<LogSubject, LinkBreak[]>()

export function findBrokenLinks(subject: LogSubject): LinkBreak[] {
  const breaks = known.get(subject) ?? planBreaks(subject)
  known.set(subject, breaks)
  return breaks
}

function planBreaks(subject: LogSubject): LinkBreak[] {
  const { index } = subject
  const kinds = findKinds(index)
  for (const record of findSecondRoots(subject)) kinds.set(record, 'root')
  if (kinds.size === 0) return []
  const parents = chooseAll(index, kinds)
  const loaded = loadedNow(subject)
  const breaks = [...kinds].map(([record, kind]): LinkBreak => {
    return { kind, record, parent: parents.get(record) ?? NONE, isLeft: false }
  })
  const planned = keepsAll(index, loaded, parents) ? breaks : followFallback(index, breaks, loaded)
  return planned.sort((a, b) => a.record - b.record)
}

/** New parents for all broken links. Links that turn out to be wrong on the way are cut as well. */
function chooseAll(index: RecordIndex, kinds: Map<number, LinkBreak['kind']>): Map<number, number> {
  for (let round = 1; ; round++) {
    const { parents, wrong } = chooseParents(index, [...kinds.keys()])
    const fresh = wrong.filter(record => !kinds.has(record))
    if (fresh.length === 0 || round === MAX_ROUNDS) return parents
    for (const record of fresh) kinds.set(record, 'opened')
  }
}

function findKinds(index: RecordIndex): Map<number, LinkBreak['kind']> {
  const kinds = new Map<number, LinkBreak['kind']>()
  const { flags, parents } = index
  let hasLaterParent = false
  for (let record = 0; record < flags.length; record++) {
    const own = flags[record] ?? 0
    if ((own & NAMES_PARENT) === 0) continue
    const parent = parents[record] ?? NONE
    if (parent >= record) hasLaterParent = true
    if (parent === NONE && isLinkedBy(own)) kinds.set(record, 'missing')
  }
  // Links that all lead backwards cannot form a cycle.
  if (hasLaterParent) for (const record of findCycles(index)) kinds.set(record, 'circle')
  return kinds
}

/**
 * Records of the conversation without a parent although messages precede them: a resume ends there. Excluded
 * are starts made by a compaction or by the user, notes without messages after them, and records that are
 * only repeated.
 */
function findSecondRoots({ index, repair }: LogSubject): number[] {
  const candidates = findRoots(index)
  if (candidates.size === 0) return []
  const forest = new Forest(index, new Set())
  const lane = mainLane(index)
  const roots: number[] = []
  const tops = new Set<number>()
  const begun = new Set<number>()
  for (let record = 0; record < index.length; record++) {
    if (index.kind(record) === 'boundary') begun.clear()
    if (candidates.has(record) && begun.size > (begun.has(record) ? 1 : 0)) roots.push(record)
    if (index.kind(record) !== 'talk' || index.isSidechain(record) !== lane || index.isSuperseded(record)) continue
    tops.add(forest.top(record))
    begun.add(forest.top(record))
  }
  return roots.filter(root => tops.has(root) && repair.links?.startsOver?.(index, root) !== true)
}

/** All records without a parent, except the first of the conversation. */
function findRoots(index: RecordIndex): Set<number> {
  const { flags } = index
  const lane = mainLane(index) ? SIDECHAIN : 0
  const roots = new Set<number>()
  const repeats = new Set<number>()
  let hasStarted = false
  for (let record = 0; record < flags.length; record++) {
    const own = flags[record] ?? 0
    if ((own & SUPERSEDED) !== 0) repeats.add(index.latest(record))
    if ((own & SIDECHAIN) !== lane || !isLinkedBy(own) || (own & KIND) === PROGRESS) continue
    if (hasStarted && (own & (NAMES_PARENT | META)) === 0 && !repeats.has(record)) roots.add(record)
    hasStarted = true
  }
  return roots
}

/** Where the agent's fallback would load more than the planned links, the links follow the fallback. */
function followFallback(index: RecordIndex, breaks: readonly LinkBreak[], loaded: readonly number[]): LinkBreak[] {
  const fallbackParents = findFallbackParents(index, loaded)
  const compactions = countCompactions(index)
  return breaks.map(planned => {
    const { kind } = planned
    const record = kind === 'circle' ? cutAt(index, planned.record, fallbackParents) : planned.record
    const parent = fallbackParents.get(record)
    if (parent === undefined) return planned
    if (isFitParent(index, record, parent, compactions)) return { kind, record, parent, isLeft: false }
    // A cycle is always wrong, whatever an agent makes of it.
    return { ...planned, isLeft: kind === 'missing' }
  })
}

/** The record of the cycle where the agent's fallback leaves it; otherwise the planned cut. */
function cutAt(index: RecordIndex, cut: number, fallbackParents: ReadonlyMap<number, number>): number {
  let at = cut
  do {
    if (fallbackParents.has(at)) return at
    at = index.parent(at)
  } while (at !== cut)
  return cut
}

/** The records that the agent loads now, as numbers in `subject.index`. */
function loadedNow(subject: LogSubject): number[] {
  const { index, visible, repair } = subject
  const { chain } = repair.load(subject)
  if (index === visible) return [...chain]
  const numbers = new Int32Array(visible.length)
  for (let own = 0, other = 0; own < visible.length && other < index.length; other++)
    if (visible.start(own) === index.start(other)) numbers[own++] = other
  return Array.from(chain, record => numbers[record] ?? NONE)
}

/** Whether the new links reach every record that is loaded now, or a record of the same message. */
function keepsAll(index: RecordIndex, loaded: readonly number[], parents: ReadonlyMap<number, number>): boolean {
  const { parents: named } = index
  const isReached = new Uint8Array(named.length)
  for (let at = loaded.at(-1) ?? NONE; at !== NONE && isReached[at] === 0; ) {
    isReached[at] = 1
    at = parents.get(at) ?? named[at] ?? NONE
  }
  const unreached = loaded.filter(record => isReached[record] === 0)
  // Most links keep all of them, and the groups of a long log are many.
  if (unreached.length === 0) return true
  const groups = new Set<number | undefined>()
  for (let record = 0; record < isReached.length; record++) if (isReached[record] === 1) groups.add(index.group(record))
  groups.delete(undefined)
  const lost = unreached.filter(record => !groups.has(index.group(record)))
  if (lost.length === 0) return true
  const results = new Set<number>()
  index.eachTool((record, isResult) => {
    if (isResult) results.add(record)
  })
  return lost.every(record => {
    const parent = results.has(record) ? index.parent(record) : NONE
    return parent !== NONE && groups.has(index.group(parent))
  })
}
