// Conversations that may be the answer, by the index alone: nothing of them is read yet.
import type { IndexedPart, IndexedSession, SearchIndex } from '../disk/search/search-index.ts'
import { roleExpression, sessionsExpression, unpackKind } from './parts.ts'
import { isTitle } from './passages.ts'
import { expressionOf, type Term, termExpression } from './query.ts'
import { rankPart } from './rank.ts'
import type { SearchQuery } from './shapes.ts'
import { wordsOf } from './words.ts'

export interface Candidate {
  session: IndexedSession
  /** The best first. */
  parts: IndexedPart[]
  /** How many parts match. */
  hits: number
  /** The title matches. */
  hasTitle: boolean
  /** Not one part, but several together have all terms. */
  isSpread: boolean
}

export interface Candidates {
  /** The best first. */
  candidates: Candidate[]
  /** Not every match was examined. */
  isMore: boolean
}

export interface Filter {
  from?: number
  to?: number
  sessions?: ReadonlySet<number>
  isWanted?: (session: IndexedSession) => boolean
}

/** Matches that are examined, the newest of all. */
const MAX_MATCHES = 2000
/** For terms in different messages of a conversation. */
const MAX_MATCHES_OF_TERM = 1500
/** With a filter, matches of other sessions are passed over up to this number. */
const MAX_PASSED = 200_000
const MAX_PARTS_OF_SESSION = 200
/** So many sessions can be part of the expression. Others are filtered afterwards. */
const MAX_SESSIONS_IN_EXPRESSION = 100

export function candidatesOf(
  index: SearchIndex,
  terms: readonly Term[],
  query: Pick<SearchQuery, 'role' | 'file'>,
  filter: Filter,
  limit: number,
): Candidates {
  const finder = new Finder(index, query, filter)
  const expression = expressionOf(terms)
  if (expression === undefined) {
    // A query of a file alone shows where it is named.
    const file = terms.length === 0 ? fileExpression(query.file) : undefined
    return file === undefined ? { candidates: [], isMore: false } : finder.find(file)
  }
  const found = finder.find(expression)
  const loose = expressionOf(terms, { isLoose: true })
  if (loose !== undefined && loose !== expression) finder.add(found, finder.find(loose))
  const wanted = terms.filter(({ isNot }) => !isNot)
  if (found.candidates.length < limit && wanted.length > 1) finder.add(found, finder.findSpread(terms, wanted))
  return found
}

class Finder {
  readonly #index: SearchIndex
  readonly #filter: Filter
  readonly #condition: string
  readonly #sessions = new Map<number, IndexedSession | undefined>()

  constructor(index: SearchIndex, { role, file }: Pick<SearchQuery, 'role' | 'file'>, filter: Filter) {
    this.#index = index
    const sessions = bothOf(filter.sessions, sessionsNaming(index, file))
    this.#filter = { ...filter, ...(sessions === undefined ? {} : { sessions }) }
    const isShort = sessions !== undefined && sessions.size > 0 && sessions.size <= MAX_SESSIONS_IN_EXPRESSION
    const conditions = [
      ...(role === undefined ? [] : [roleExpression(role)]),
      ...(isShort ? [sessionsExpression([...sessions])] : []),
    ]
    this.#condition = conditions.map(condition => ` AND (${condition})`).join('')
  }

  find(expression: string): Candidates {
    const byId = new Map<number, Candidate>()
    const isMore = this.#each(expression, MAX_MATCHES, (part, session) => {
      const known = byId.get(session.id)
      const candidate = known ?? { session, parts: [], hits: 0, hasTitle: false, isSpread: false }
      if (known === undefined) byId.set(session.id, candidate)
      if (isTitle(part)) candidate.hasTitle = true
      else {
        candidate.hits++
        if (candidate.parts.length < MAX_PARTS_OF_SESSION) candidate.parts.push(part)
      }
    })
    return { candidates: sorted(byId.values()), isMore }
  }

  /** Conversations in which every term is somewhere. */
  findSpread(terms: readonly Term[], wanted: readonly Term[]): Candidates {
    const excluded = terms.filter(({ isNot }) => isNot)
    let all: Map<number, Candidate> | undefined
    for (const term of wanted) {
      if (termExpression(term) === undefined) continue
      const expression = expressionOf([term, ...excluded]) ?? ''
      const own = new Map<number, Candidate>()
      this.#each(expression, MAX_MATCHES_OF_TERM, (part, session) => {
        const before = all?.get(session.id)
        if (all !== undefined && before === undefined) return
        const candidate = own.get(session.id) ?? { session, parts: [], hits: 0, hasTitle: false, isSpread: true }
        if (candidate.hits === 0 && before !== undefined) candidate.parts.push(...before.parts)
        candidate.hits++
        candidate.hasTitle ||= isTitle(part)
        // The newest two passages of each term.
        if (candidate.hits <= 2 && !isTitle(part)) candidate.parts.push(part)
        own.set(session.id, candidate)
      })
      all = own
      if (all.size === 0) break
    }
    return { candidates: sorted(all?.values() ?? []), isMore: false }
  }

  /** Adds those that are not there yet. */
  add(to: Candidates, more: Candidates): void {
    const known = new Set(to.candidates.map(({ session }) => session.id))
    to.candidates.push(...more.candidates.filter(({ session }) => !known.has(session.id)))
    to.isMore ||= more.isMore
  }

  #each(expression: string, limit: number, use: (part: IndexedPart, session: IndexedSession) => void): boolean {
    const { from, to, sessions } = this.#filter
    if (sessions?.size === 0) return false
    let used = 0
    let passed = 0
    for (const part of this.#index.match(`(${expression})${this.#condition}`, from, to)) {
      if (passed++ > MAX_PASSED) return true
      if (sessions !== undefined && !sessions.has(part.session)) continue
      const session = this.#session(part.session)
      if (session === undefined) continue
      use(part, session)
      if (++used >= limit) return true
    }
    return false
  }

  /** Undefined for one that is not wanted. */
  #session(id: number): IndexedSession | undefined {
    if (this.#sessions.has(id)) return this.#sessions.get(id)
    const session = this.#index.sessionById(id)
    const isWanted = session !== undefined && this.#filter.isWanted?.(session) !== false
    this.#sessions.set(id, isWanted ? session : undefined)
    return isWanted ? session : undefined
  }
}

type SessionIds = ReadonlySet<number>

function bothOf(one: SessionIds | undefined, other: SessionIds | undefined): SessionIds | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return new Set([...one].filter(id => other.has(id)))
}

function sorted(candidates: Iterable<Candidate>): Candidate[] {
  const ranked = Array.from(candidates, candidate => {
    const parts = candidate.parts.map(part => ({ part, rank: rankOf(part) }))
    parts.sort((a, b) => b.rank - a.rank)
    const best = parts[0]?.rank ?? 0
    const score = best + 0.06 * Math.log2(1 + candidate.hits) + (candidate.hasTitle ? 0.5 : 0)
    return { score, candidate: { ...candidate, parts: parts.map(({ part }) => part) } }
  })
  return ranked.sort((a, b) => b.score - a.score).map(({ candidate }) => candidate)
}

function rankOf({ kind, size }: IndexedPart): number {
  const { role, part } = unpackKind(kind)
  return part === 'title' ? 0 : rankPart(role, part, size)
}

/** The names of its last folders and the file, one behind the other. */
function fileExpression(file: string | undefined): string | undefined {
  const words = file === undefined ? [] : wordsOf(file)
  return words.length === 0 ? undefined : `{text} : "${words.join(' ')}"`
}

/** Conversations in which the file is named. */
function sessionsNaming(index: SearchIndex, file: string | undefined): Set<number> | undefined {
  const expression = fileExpression(file)
  if (expression === undefined) return undefined
  const sessions = new Set<number>()
  let passed = 0
  for (const { session } of index.match(expression)) {
    sessions.add(session)
    if (++passed > MAX_PASSED) break
  }
  return sessions
}
