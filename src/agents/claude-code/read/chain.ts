// The records of one file are linked by `parentUuid`. This finds the branch that the conversation is on, and
// counts the others.
// The reader shows the whole conversation. Unlike the agent's resume, it does not stop at a broken link or at
// the new root of a compaction: it continues with the previous record in the file.
import { NONE } from '../../../repair/records/record-index.ts'
import type { Links } from './links.ts'

/** The links of the records of one file, by number. They are read, or taken from the record index. */
export interface ChainLinks {
  readonly length: number
  /** The record does not count: a later version has the same uuid, or the same bytes stood earlier. */
  isSuperseded(index: number): boolean
  /** The parent in its last version, if it is in the file. Otherwise NONE. */
  parent(index: number): number
  logicalParent(index: number): number
  /** Equal for the lines of one message of the model. NONE for other records. */
  group(index: number): number
  isSidechain(index: number): boolean
  /** NaN where the record has none. */
  time(index: number): number
  isResult(index: number): boolean
  isTalk(index: number): boolean
}

export interface ShownChain {
  /** Whether the record with this number among the links is shown. */
  isShown(index: number): boolean
  leaf: string | undefined
  branches: ChainBranch[]
}

export interface ChainBranch {
  id: string
  kind: 'abandoned' | 'sidechain'
  /** The offset of its first record. */
  start: number
  messages: number
}

/** 1 for each record of the branch that the conversation is on. */
export function findActive(links: ChainLinks): Uint8Array {
  const lane = mainLane(links)
  return walk(links, lane, lastTalk(links, lane))
}

export function followChain(links: Links, branch?: string): ShownChain {
  const lane = mainLane(links)
  const leaf = lastTalk(links, lane)
  const active = walk(links, lane, leaf)
  const branches = collectBranches(links, lane, active)
  const shown = branch === undefined ? active : readBranch(links, branches.get(branch))
  return {
    isShown: index => shown[index] === 1,
    leaf: leaf === NONE ? undefined : links.uuid(leaf),
    branches: [...branches.values()].map(({ id, kind, first, groups }) => {
      return { id, kind, start: links.start(first), messages: groups.size }
    }),
  }
}

/** The file of a sub-agent holds only sidechain records, which are its conversation. */
function mainLane(links: ChainLinks): boolean {
  for (let index = 0; index < links.length; index++)
    if (!links.isSuperseded(index) && !links.isSidechain(index) && links.isTalk(index)) return false
  return true
}

/** The end of the conversation: the last message in the file that no other continues; in a circle of links, the last. */
function lastTalk(links: ChainLinks, lane: boolean): number {
  const isEnd = (index: number): boolean =>
    !links.isSuperseded(index) && links.isSidechain(index) === lane && links.isTalk(index)
  let last = links.length - 1
  while (last >= 0 && !isEnd(last)) last--
  if (last < 0) return NONE
  if (!isAnyBeforeItsParent(links)) return last
  const continued = findContinued(links)
  let end = last
  while (end >= 0 && (continued[end] === 1 || !isEnd(end))) end--
  return end < 0 ? last : end
}

/** In most logs each record follows its parent, so that nothing continues the last message. */
function isAnyBeforeItsParent(links: ChainLinks): boolean {
  for (const index of countedIn(links)) if (links.parent(index) > index) return true
  return false
}

/**
 * 1 for each record that a message of the same lane continues, directly or through records that are no messages. As for
 * the agent, nothing continues a record that is newer: it was written again, and the conversation went back to it.
 */
function findContinued(links: ChainLinks): Uint8Array {
  const continued = new Uint8Array(links.length)
  for (const index of countedIn(links)) {
    if (!links.isTalk(index)) continue
    let [child, at] = [index, links.parent(index)]
    while (at !== NONE && at !== index && continued[at] === 0 && continues(links, child, at)) {
      continued[at] = 1
      if (links.isTalk(at)) break
      ;[child, at] = [at, links.parent(at)]
    }
  }
  return continued
}

function continues(links: ChainLinks, child: number, parent: number): boolean {
  return links.isSidechain(child) === links.isSidechain(parent) && !(links.time(parent) > links.time(child))
}

/** The records that count, in the order of the file. */
function* countedIn(links: ChainLinks): Generator<number, void, void> {
  for (let index = 0; index < links.length; index++) if (!links.isSuperseded(index)) yield index
}

/** From a leaf back to the start; 1 for each record on the path. */
function walk(links: ChainLinks, lane: boolean, leaf: number): Uint8Array {
  const seen = new Uint8Array(links.length)
  // Bridges lead only backwards, so that a hostile file cannot cause repeated scans.
  let bridgedTo = links.length
  const isOpen = (index: number): boolean =>
    index !== NONE && seen[index] === 0 && !links.isSuperseded(index) && links.isSidechain(index) === lane
  const before = (index: number): number => {
    bridgedTo = Math.min(bridgedTo, index)
    do bridgedTo--
    while (bridgedTo >= 0 && !isOpen(bridgedTo))
    return Math.max(bridgedTo, NONE)
  }
  const nextOf = (index: number): number => {
    const parent = links.parent(index)
    if (isOpen(parent)) return parent
    const logical = links.logicalParent(index)
    return isOpen(logical) ? logical : before(index)
  }
  for (let at = leaf; at !== NONE; at = nextOf(at)) seen[at] = 1
  addSiblings(links, lane, seen)
  return seen
}

/**
 * Lines of the same model message, and results of calls on the branch, belong to it even if no link passes
 * through them.
 */
function addSiblings(links: ChainLinks, lane: boolean, shown: Uint8Array): void {
  if (!isAnyLeft(links, lane, shown)) return
  const groups = new Set<number>()
  for (const index of countedIn(links)) if (shown[index] === 1) groups.add(links.group(index))
  groups.delete(NONE)
  for (const index of countedIn(links))
    if (shown[index] === 0 && links.isSidechain(index) === lane && groups.has(links.group(index))) shown[index] = 1
  for (const index of countedIn(links)) {
    if (shown[index] === 1 || links.isSidechain(index) !== lane) continue
    const parent = links.parent(index)
    if (parent !== NONE && shown[parent] === 1 && links.isResult(index)) shown[index] = 1
  }
}

/** In most sessions the links pass through everything. */
function isAnyLeft(links: ChainLinks, lane: boolean, shown: Uint8Array): boolean {
  for (let index = 0; index < shown.length; index++)
    if (shown[index] === 0 && !links.isSuperseded(index) && links.isSidechain(index) === lane) return true
  return false
}

interface BranchLinks {
  id: string
  kind: ChainBranch['kind']
  first: number
  last: number
  /** Each message once: by its group, or by its own number, which is negative here to keep the two apart. */
  groups: Set<number>
}

/** Conversation that is not shown, grouped under its earliest ancestor that is not shown. */
function collectBranches(links: Links, lane: boolean, active: Uint8Array): Map<string, BranchLinks> {
  const branches = new Map<string, BranchLinks>()
  const roots = new Int32Array(links.length).fill(NONE)
  for (const index of countedIn(links)) {
    if (active[index] === 1 || !links.isTalk(index)) continue
    const root = rootOf(links, index, active, roots)
    const kind = links.isSidechain(index) === lane ? 'abandoned' : 'sidechain'
    const id = links.uuid(root)
    const branch = branches.get(id) ?? { id, kind, first: root, last: index, groups: new Set() }
    branch.last = index
    branch.groups.add(links.group(index) === NONE ? -2 - index : links.group(index))
    branches.set(id, branch)
  }
  return branches
}

function rootOf(links: Links, index: number, active: Uint8Array, roots: Int32Array): number {
  const path: number[] = []
  const isOwn = (at: number): boolean =>
    at !== NONE && active[at] === 0 && links.isTalk(at) && links.isSidechain(at) === links.isSidechain(index)
  let at = index
  while (roots[at] === NONE) {
    path.push(at)
    // Marked at once, so that a circle ends where it started.
    roots[at] = at
    const parent = links.parent(at)
    if (!isOwn(parent)) break
    at = parent
  }
  const root = roots[at] ?? at
  for (const step of path) roots[step] = root
  return root
}

/** One branch: its own records and their ancestors. */
function readBranch(links: Links, branch: BranchLinks | undefined): Uint8Array {
  if (branch === undefined) return new Uint8Array(links.length)
  const shown = walk(links, links.isSidechain(branch.last), branch.last)
  if (branch.kind === 'abandoned') return shown
  // A sub-agent's branch does not continue from what another sub-agent did before.
  for (let index = 0; index < branch.first; index++) shown[index] = 0
  return shown
}
