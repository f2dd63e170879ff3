// Conversations that may be the answer, by the index alone: nothing of them is read yet.
import type { FoundPart, IndexRow, SearchIndex } from '../disk/search/search-index.ts'
import { MAX_RESULTS } from './limits.ts'
import { roleExpression, sessionsExpression, unpackKind } from './parts.ts'
import { isTitle } from './passages.ts'
import { expressionOf, relaxed, type Term, termExpression } from './query.ts'
import { densityOf, rankPart } from './rank.ts'
import type { SearchQuery } from './shapes.ts'
import { wordsOf } from './tokenizer.ts'

export interface Candidate {
  session: IndexRow
  /** The best first. */
  parts: FoundPart[]
  /** How many parts match. */
  hits: number
  /** The title matches. */
  hasTitle: boolean
  /** How many of the terms are in it. */
  terms: number
  /** Not one part, but several together have them. */
  isSpread: boolean
}

export interface Candidates {
  /** The best first. */
  candidates: Candidate[]
  /** Not every match was examined. */
  isMore: boolean
}

export interface CandidateFilter {
  from?: number
  to?: number
  sessions?: ReadonlySet<number>
  isWanted?: (session: IndexRow) => boolean
}

/** Matches that are examined, the newest of all. */
const MAX_MATCHES = 1000
/** For terms in different messages of a conversation. */
const MAX_MATCHES_OF_TERM = 1000
/** The newest of each term. */
const PASSAGES_OF_TERM = 2
/** With a filter, matches of other sessions are passed over up to this number. */
const MAX_PASSED = 200_000
const MAX_PARTS_OF_SESSION = 200
/** This many sessions can be part of the expression. Others are filtered afterwards. */
const MAX_SESSIONS_IN_EXPRESSION = 100

/** One way to search for the terms. They are tried in order, from strict to generous. */
export interface Stage {
  /** Asked for after `find`. */
  terms(): readonly Term[]
  /** Only where fewer conversations than this were found before. */
  below: number
  /** `most`: parts of one conversation that are listed. */
  find(most?: number): Candidates
}

export function stagesOf(
  index: SearchIndex,
  terms: readonly Term[],
  query: Pick<SearchQuery, 'role' | 'file'>,
  filter: CandidateFilter,
): Stage[] {
  const finder = new Finder(index, query, filter)
  // A query of a file alone shows where it is named.
  const expression = expressionOf(terms) ?? (terms.length === 0 ? fileExpression(query.file) : undefined)
  if (expression === undefined) return []
  const wanted = terms.filter(({ isNot }) => !isNot)
  const isRelaxed = expressionOf(relaxed(terms)) !== expression
  let any: Term[] | undefined
  const anyForm = (): Term[] => {
    any ??= relaxed(terms).map((term, at) => {
      const typed = terms[at]
      return typed !== undefined && typed.type !== term.type && finder.isCommon(typed) ? typed : term
    })
    return any
  }
  const loose = expressionOf(terms, { isLoose: true })
  const isMany = wanted.length > 1
  const few = wanted.length > 2 ? FEW : 1
  const asTyped = (): readonly Term[] => terms
  const stages: Stage[] = [
    { terms: asTyped, below: MAX_RESULTS, find: (most?: number) => finder.find(expression, most) },
    ...(isMany ? [{ terms: asTyped, below: MAX_RESULTS, find: () => finder.findSpread(terms, wanted.length) }] : []),
    ...(loose === undefined || loose === expression
      ? []
      : [{ terms: asTyped, below: 1, find: (most?: number) => finder.find(loose, most) }]),
    ...(isRelaxed
      ? [{ terms: anyForm, below: few, find: (most?: number) => finder.findForms(terms, anyForm(), most) }]
      : []),
    ...(isMany
      ? [{ terms: anyForm, below: few, find: () => finder.findSpread(anyForm(), leastOf(wanted.length)) }]
      : []),
  ]
  return stages
}

/** With so few answers to three words or more, conversations with most of the words are shown below them. */
const FEW = 3

/** One of three words may be missing. */
function leastOf(terms: number): number {
  return terms - Math.floor(terms / 3)
}

class Finder {
  readonly #index: SearchIndex
  readonly #filter: CandidateFilter
  readonly #condition: string
  readonly #sessions = new Map<number, IndexRow | undefined>()
  readonly #ofTerms = new Map<string, { part: FoundPart; session: IndexRow }[]>()

  constructor(index: SearchIndex, { role, file }: Pick<SearchQuery, 'role' | 'file'>, filter: CandidateFilter) {
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

  find(expression: string, most = MAX_PARTS_OF_SESSION): Candidates {
    const byId = new Map<number, Candidate>()
    const isMore = this.#each(expression, Math.max(most, MAX_MATCHES), (part, session) => {
      const known = byId.get(session.id)
      const candidate = known ?? { session, parts: [], hits: 0, hasTitle: false, terms: 0, isSpread: false }
      if (known === undefined) byId.set(session.id, candidate)
      if (isTitle(part)) candidate.hasTitle = true
      else {
        candidate.hits++
        if (candidate.parts.length < most) candidate.parts.push(part)
      }
    })
    return { candidates: sorted(byId.values()), isMore }
  }

  /** Other forms of the terms. A prefix is slow to open, so what the other terms match is found first. */
  findForms(typed: readonly Term[], terms: readonly Term[], most?: number): Candidates {
    const expression = expressionOf(terms)
    const same = expressionOf(terms.filter((term, at) => term === typed[at]))
    const none = { candidates: [], isMore: false }
    if (expression === undefined || expression === expressionOf(typed)) return none
    if (same !== undefined && this.#isNowhere(same)) return none
    return this.find(expression, most)
  }

  #isNowhere(expression: string): boolean {
    let isFound = false
    this.#each(expression, 1, () => {
      isFound = true
    })
    return !isFound
  }

  /** As it was typed, it is in as many messages as are examined: its other forms would add nothing. */
  isCommon(term: Term): boolean {
    const expression = termExpression(term)
    return expression !== undefined && this.#ofTerm(expressionOf([term]) ?? expression).length >= MAX_MATCHES_OF_TERM
  }

  /** Conversations that contain at least this many of the terms. */
  findSpread(terms: readonly Term[], least: number): Candidates {
    const excluded = terms.filter(({ isNot }) => isNot)
    const wanted = terms.filter(({ isNot }) => !isNot)
    const all = new Map<number, Candidate>()
    for (const [number, term] of wanted.entries()) {
      const expression = termExpression(term) === undefined ? undefined : expressionOf([term, ...excluded])
      if (expression === undefined) continue
      const own = new Map<number, number>()
      for (const { part, session } of this.#ofTerm(expression)) {
        const known = all.get(session.id)
        // Too many of the terms before are missing already.
        if ((known?.terms ?? 0) < least - (wanted.length - number)) continue
        const candidate = known ?? { session, parts: [], hits: 0, hasTitle: false, terms: 0, isSpread: true }
        all.set(session.id, candidate)
        const count = (own.get(session.id) ?? 0) + 1
        own.set(session.id, count)
        if (count === 1) candidate.terms++
        candidate.hits++
        candidate.hasTitle ||= isTitle(part)
        if (count <= PASSAGES_OF_TERM && !isTitle(part)) candidate.parts.push(part)
      }
    }
    const found = [...all.values()].filter(candidate => candidate.terms >= least)
    for (const candidate of found) candidate.parts = [...new Map(candidate.parts.map(part => [part.id, part])).values()]
    return { candidates: sorted(found), isMore: false }
  }

  /** A generous stage has most of its terms from the stage before. */
  #ofTerm(expression: string): { part: FoundPart; session: IndexRow }[] {
    const known = this.#ofTerms.get(expression)
    if (known !== undefined) return known
    const found: { part: FoundPart; session: IndexRow }[] = []
    this.#each(expression, MAX_MATCHES_OF_TERM, (part, session) => found.push({ part, session }))
    this.#ofTerms.set(expression, found)
    return found
  }

  #each(expression: string, limit: number, use: (part: FoundPart, session: IndexRow) => void): boolean {
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
  #session(id: number): IndexRow | undefined {
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
    const density = densityOf(candidate.hits, candidate.session.messages)
    const score = best + density + (candidate.hasTitle ? 0.5 : 0) + candidate.terms
    return { score, candidate: { ...candidate, parts: parts.map(({ part }) => part) } }
  })
  return ranked.sort((a, b) => b.score - a.score).map(({ candidate }) => candidate)
}

function rankOf({ kind, size }: FoundPart): number {
  const { role, part } = unpackKind(kind)
  return part === 'title' ? 0 : rankPart(role, part, size)
}

/** The names of its last folders and the file, one after the other. */
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
