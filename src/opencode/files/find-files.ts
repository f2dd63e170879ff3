// Files and folders by a few letters of their path, the likeliest first.
import { pace } from '../../disk/files/pace.ts'
import { type WalkEnd, type WalkedEntry, walkFolder } from '../../disk/files/walk-folder.ts'
import { IgnoreRules, NEVER } from './ignore-rules.ts'
import { LISTING_MS, MAX_LISTINGS, MAX_QUERY_CHARS, MAX_WALK_DEPTH, MAX_WALKED_ENTRIES } from './limits.ts'
import type { LeftOut } from './skipped.ts'

export interface FindFilesWanted {
  query: string
  isFor: 'files' | 'folders' | 'both'
  limit: number
}

interface Listing {
  files: string[]
  /** Each ends with a slash, by which clients recognise folders. */
  folders: string[]
  leftOut: LeftOut
}

/** Entries between two turns of the event loop while they are ranked. */
const RANKED_AT_ONCE = 2000

export class FileFinder {
  readonly #kept = new Map<string, { until: number; listing: Promise<Listing> }>()

  async find(directory: string, wanted: FindFilesWanted): Promise<{ paths: string[]; leftOut: LeftOut }> {
    const { files, folders, leftOut } = await this.#list(directory)
    const { isFor } = wanted
    const candidates = isFor === 'files' ? files : isFor === 'folders' ? folders : [...folders, ...files]
    return { paths: await rank(candidates, wanted.query.slice(0, MAX_QUERY_CHARS), wanted.limit), leftOut }
  }

  #list(directory: string): Promise<Listing> {
    const now = performance.now()
    const kept = this.#kept.get(directory)
    if (kept !== undefined && kept.until > now) return kept.listing
    const listing = listAll(directory)
    // A failure is not cached: the folder may exist the next time.
    listing.catch(() => this.#kept.delete(directory))
    this.#kept.delete(directory)
    this.#kept.set(directory, { until: now + LISTING_MS, listing })
    for (const [oldest] of this.#kept) if (this.#kept.size > MAX_LISTINGS) this.#kept.delete(oldest)
    return listing
  }
}

/** Everything below a folder that its repository does not ignore. */
export function walkKept(root: string, maxEntries = MAX_WALKED_ENTRIES): Generator<WalkedEntry[], WalkEnd, void> {
  const rulesOf = new Map<string, IgnoreRules>()
  return walkFolder({
    root,
    maxEntries,
    maxDepth: MAX_WALK_DEPTH,
    enter(path, folder) {
      const above = rulesOf.get(path.slice(0, Math.max(0, path.lastIndexOf('/')))) ?? IgnoreRules.none()
      const rules = above.inside(path, folder)
      rulesOf.set(path, rules)
      return entry => !NEVER.has(entry.name) && !rules.isIgnored(entry.path, entry.kind === 'folder')
    },
  })
}

async function listAll(directory: string): Promise<Listing> {
  const listing: Listing = { files: [], folders: [], leftOut: { skipped: {}, limits: [] } }
  const walk = pace(walkKept(directory))
  for (let step = await walk.next(); ; step = await walk.next()) {
    if (step.done) {
      const { unreadable, isCut } = step.value
      return { ...listing, leftOut: { skipped: { unreadable }, limits: isCut ? ['entries'] : [] } }
    }
    for (const { kind, path } of step.value) {
      if (kind === 'folder') listing.folders.push(`${path}/`)
      else if (kind === 'file') listing.files.push(path)
    }
  }
}

async function rank(paths: readonly string[], query: string, limit: number): Promise<string[]> {
  // In the order of the walk: the nearest first.
  if (query === '') return paths.slice(0, limit)
  const wanted = query.toLowerCase().replaceAll('\\', '/')
  const found: { path: string; score: number }[] = []
  for await (const part of pace(inParts(paths)))
    for (const path of part) {
      const score = scoreOf(path, wanted)
      if (score !== undefined) found.push({ path, score })
    }
  return found
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path)
}

function* inParts(paths: readonly string[]): Generator<readonly string[], void, void> {
  for (let at = 0; at < paths.length; at += RANKED_AT_ONCE) yield paths.slice(at, at + RANKED_AT_ONCE)
}

/**
 * Undefined where the letters are not in the path in this order. The name counts more than the folders above
 * it, and a run more than scattered letters.
 */
export function scoreOf(path: string, wanted: string): number | undefined {
  const text = path.toLowerCase()
  const name = text.slice(text.lastIndexOf('/', text.length - 2) + 1)
  if (name === wanted || text === wanted) return 1000
  if (name.startsWith(wanted)) return 900
  if (name.includes(wanted)) return 800
  if (text.includes(wanted)) return 700
  const inName = scatter(name, wanted)
  if (inName !== undefined) return 500 - inName
  const inPath = scatter(text, wanted)
  return inPath === undefined ? undefined : 250 - inPath
}

/** The distance between the letters, at most 200. */
function scatter(text: string, wanted: string): number | undefined {
  let at = -1
  let gaps = 0
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1)
    if (next === -1) return undefined
    if (at !== -1) gaps += next - at - 1
    at = next
  }
  return Math.min(gaps, 200)
}
