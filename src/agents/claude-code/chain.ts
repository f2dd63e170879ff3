// The records of one file are linked by `parentUuid`. This finds the branch the conversation is on, and counts what lies beside it.
//
// A reader wants all that was said, so unlike the agent's own resume it does not stop where a link is broken or a compaction began a new root:
// it goes on with the record before it in the file.

export interface Link {
  /** Offset of the record: what the second pass knows it by. */
  start: number
  uuid: string
  parent: string | undefined
  /** Where a compaction boundary says the conversation came from. */
  logicalParent: string | undefined
  sidechain: boolean
  /** `message.id`: several lines that are one message of the model. */
  group: string | undefined
  isResult: boolean
  isTalk: boolean
}

export interface Chain {
  /** Offsets of the records to show. */
  active: Set<number>
  leaf: string | undefined
  branches: ChainBranch[]
}

export interface ChainBranch {
  id: string
  kind: 'abandoned' | 'sidechain'
  /** Offset of its first record. */
  start: number
  messages: number
}

export function followChain(links: Link[], branch?: string): Chain {
  const byId = new Map<string, number>()
  // Compaction may append records again under their old uuid; the last one counts.
  for (const [index, link] of links.entries()) byId.set(link.uuid, index)
  const unique = links.filter((link, index) => byId.get(link.uuid) === index)
  const lane = unique.every(link => link.sidechain || !link.isTalk)
  const main = unique.filter(link => link.sidechain === lane)
  const active = new Walk(main).from(main.findLast(link => link.isTalk) ?? main.at(-1))
  addSiblings(main, active)
  const branches = [
    ...collectBranches(
      main.filter(link => link.isTalk && !active.has(link)),
      active,
      'abandoned',
    ),
    ...collectBranches(
      unique.filter(link => link.sidechain !== lane && link.isTalk),
      active,
      'sidechain',
    ),
  ]
  const shown =
    branch === undefined
      ? active
      : branchRecords(
          unique,
          branches.find(({ id }) => id === branch),
        )
  return {
    active: new Set([...shown].map(link => link.start)),
    leaf: main.findLast(link => link.isTalk)?.uuid,
    branches: branches.map(({ links: own, ...rest }) => ({ ...rest, messages: countMessages(own) })),
  }
}

class Walk {
  readonly #links: Link[]
  readonly #index: Map<string, number>
  #bridgedTo = Number.POSITIVE_INFINITY

  constructor(links: Link[]) {
    this.#links = links
    this.#index = new Map(links.map((link, index) => [link.uuid, index]))
  }

  from(leaf: Link | undefined): Set<Link> {
    const seen = new Set<Link>()
    let at = leaf
    while (at !== undefined) {
      seen.add(at)
      at = this.#parentOf(at, seen)
    }
    return seen
  }

  #parentOf(link: Link, seen: Set<Link>): Link | undefined {
    const parent = this.#find(link.parent)
    if (parent !== undefined && !seen.has(parent)) return parent
    const logical = this.#find(link.logicalParent)
    if (logical !== undefined && !seen.has(logical)) return logical
    return this.#before(link, seen)
  }

  #find(uuid: string | undefined): Link | undefined {
    const index = uuid === undefined ? undefined : this.#index.get(uuid)
    return index === undefined ? undefined : this.#links[index]
  }

  /** Only ever backwards, so that a hostile file cannot make it look at the same records again and again. */
  #before(link: Link, seen: Set<Link>): Link | undefined {
    this.#bridgedTo = Math.min(this.#bridgedTo, this.#index.get(link.uuid) ?? 0)
    for (;;) {
      const candidate = this.#links[--this.#bridgedTo]
      if (candidate === undefined || !seen.has(candidate)) return candidate
    }
  }
}

/** Lines of the same model message, and results of calls on the branch, belong to it though no link leads through them. */
function addSiblings(main: Link[], active: Set<Link>): void {
  const groups = new Set([...active].map(link => link.group).filter(group => group !== undefined))
  for (const link of main) if (link.group !== undefined && groups.has(link.group)) active.add(link)
  const ids = new Set([...active].map(link => link.uuid))
  for (const link of main) if (link.isResult && link.parent !== undefined && ids.has(link.parent)) active.add(link)
}

interface BranchLinks extends Omit<ChainBranch, 'messages'> {
  links: Link[]
}

/** Records that are not shown, each under the first of its own kind that it descends from. */
function collectBranches(rest: Link[], active: Set<Link>, kind: ChainBranch['kind']): BranchLinks[] {
  const byId = new Map(rest.map(link => [link.uuid, link]))
  const branches = new Map<Link, BranchLinks>()
  const roots = new Map<Link, Link>()
  for (const link of rest) {
    if (active.has(link)) continue
    const path = new Set<Link>()
    let at = link
    while (!roots.has(at) && !path.has(at)) {
      path.add(at)
      const parent = at.parent === undefined ? undefined : byId.get(at.parent)
      if (parent === undefined) break
      at = parent
    }
    const root = roots.get(at) ?? at
    for (const step of path) roots.set(step, root)
    const branch = branches.get(root) ?? { id: root.uuid, kind, start: root.start, links: [] }
    branch.links.push(link)
    branches.set(root, branch)
  }
  return [...branches.values()]
}

/** A branch read by itself: its own records, and what they descend from. */
function branchRecords(all: Link[], branch: BranchLinks | undefined): Set<Link> {
  if (branch === undefined) return new Set()
  if (branch.kind === 'sidechain') return new Set(branch.links)
  const main = all.filter(link => link.sidechain === branch.links[0]?.sidechain)
  const shown = new Walk(main).from(branch.links.at(-1))
  addSiblings(main, shown)
  return shown
}

function countMessages(links: Link[]): number {
  return new Set(links.map(link => link.group ?? link.uuid)).size
}
