// Finds conversations in the index: candidates by words, the best of them by what their text says.
import { resolve, sep } from 'node:path'
import type { Context } from '../catalog/context.ts'
import { type IndexedPart, type IndexedSession, idAt, type SearchIndex } from '../disk/search/search-index.ts'
import type { SessionRef } from '../model/session.ts'
import { type Candidate, candidatesOf, type Filter } from './candidates.ts'
import { Marker, snippetOf } from './marks.ts'
import { unpackKind } from './parts.ts'
import { Passages, placeOf, refOf } from './passages.ts'
import { hasExact, parseQuery, type Term } from './query.ts'
import { isEqual, rankText, scoreOf } from './rank.ts'
import {
  DEFAULT_RESULTS,
  MAX_PASSAGES,
  type SearchAnswer,
  type SearchMatch,
  type SearchQuery,
  type SearchResult,
} from './shapes.ts'

/** What is known of a conversation before its passages are read. */
export type FoundIn = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath' | 'title' | 'project' | 'updatedAt'>

export interface FindOptions {
  isWanted?: (session: FoundIn) => boolean
  /** Sessions that are not indexed. Default: what the last update said. */
  behind?: number
}

const DEFAULT_PASSAGES = 3
/** Passages of a conversation whose text is read to find the best. */
const READ_FACTOR = 2
/** Conversations whose text is read, as a multiple of those in the answer. */
const RANKED_FACTOR = 2

export async function findIn(
  index: SearchIndex,
  context: Context,
  query: SearchQuery,
  options: FindOptions = {},
): Promise<SearchAnswer> {
  const terms = parseQuery(query.text)
  const limit = query.limit ?? DEFAULT_RESULTS
  const passages = query.passages ?? (query.in === undefined ? DEFAULT_PASSAGES : MAX_PASSAGES)
  const filter = filterOf(index, query, options)
  const found = candidatesOf(index, terms, query, filter, limit)
  const reader = new Passages(context)
  try {
    const examiner = new Examiner(reader, terms, passages)
    const results: Ranked[] = []
    for (const candidate of found.candidates.slice(0, limit * RANKED_FACTOR)) {
      const result = await examiner.examine(candidate)
      if (result !== undefined) results.push(result)
    }
    results.sort((a, b) => (isEqual(a.score, b.score) ? b.updated - a.updated : b.score - a.score))
    const behind = options.behind ?? Number(index.fact('behind') ?? 0)
    return {
      results: results
        .slice(0, limit)
        .map(({ updated, ...result }) => ({ ...result, score: Math.round(result.score * 1000) / 1000 })),
      indexed: { sessions: index.countSessions(), behind },
      isMore: found.isMore || results.length > limit || found.candidates.length > limit * RANKED_FACTOR,
    }
  } finally {
    await reader.close()
  }
}

interface Ranked extends SearchResult {
  updated: number
}

/** Reads the passages of candidates and makes results of them. */
class Examiner {
  readonly #reader: Passages
  readonly #terms: readonly Term[]
  readonly #exact: readonly Term[]
  readonly #unwanted: readonly Term[]
  readonly #marker: Marker
  readonly #passages: number

  constructor(reader: Passages, terms: readonly Term[], passages: number) {
    this.#reader = reader
    this.#terms = terms
    this.#exact = terms.filter(({ type, isNot }) => type === 'exact' && !isNot)
    this.#unwanted = terms.filter(({ type, isNot }) => type === 'exact' && isNot)
    this.#marker = new Marker(terms)
    this.#passages = passages
  }

  /** Undefined where no part has the exact text of the query. */
  async examine({ session, parts, hits, hasTitle, isSpread }: Candidate): Promise<Ranked | undefined> {
    const ref = refOf(session)
    const needsProof = this.#exact.length > 0 || this.#unwanted.length > 0
    const read = needsProof ? parts : parts.slice(0, this.#passages * READ_FACTOR)
    const matches: (SearchMatch & { rank: number })[] = []
    for (const part of read) {
      const match = await this.#match(session, ref, part, isSpread)
      if (match !== undefined) matches.push(match)
      if (needsProof && matches.length >= this.#passages * READ_FACTOR) break
    }
    const titleTerms = this.#titleTerms(session.title)
    if (matches.length === 0 && (needsProof || !hasTitle)) return undefined
    matches.sort((a, b) => b.rank - a.rank || a.message - b.message)
    const shown = matches.slice(0, this.#passages)
    const best = shown[0]?.rank ?? 0
    if (this.#passages > DEFAULT_PASSAGES) shown.sort((a, b) => a.message - b.message)
    return {
      agent: ref.agent,
      sessionId: ref.sessionId,
      title: session.title,
      project: session.project,
      filePath: ref.filePath,
      updatedAt: new Date(ref.updatedAt).toISOString(),
      updated: ref.updatedAt,
      isArchived: ref.archived !== undefined,
      score: scoreOf({ best, hits, titleTerms, isSpread, isSubagent: ref.subagentOf !== undefined }),
      hits: needsProof ? matches.length : hits,
      matches: shown.map(({ rank, ...match }) => match),
    }
  }

  async #match(session: IndexedSession, ref: SessionRef, part: IndexedPart, isSpread: boolean) {
    const { role, part: kind } = unpackKind(part.kind)
    if (kind === 'title') return undefined
    const text = await this.#textOf(session, part, isSpread)
    if (text === undefined) return undefined
    const marks = this.#marker.marks(text)
    const snippet = snippetOf(text, marks)
    return {
      message: part.message,
      role,
      part: kind,
      time: part.time === null ? null : new Date(part.time * 1000).toISOString(),
      snippet: snippet.snippet,
      marks: snippet.marks,
      place: placeOf(ref, part),
      rank: rankText({ role, part: kind, size: part.size, marks: marks.length, snippet, terms: this.#marker.terms }),
    }
  }

  /** The stored record is tried first; what it does not show is read by the reader of the store. */
  async #textOf(session: IndexedSession, part: IndexedPart, isSpread: boolean): Promise<string | undefined> {
    const wanted = isSpread ? 1 : this.#marker.terms
    for (const text of (await this.#reader.record(session, part)) ?? [])
      if (this.#isProven(text) && this.#termsIn(text) >= wanted) return text
    const [text] = await this.#reader.readAgain(session, [part])
    return text === undefined || !this.#isProven(text) ? undefined : text
  }

  #isProven(text: string): boolean {
    return this.#exact.every(term => hasExact(text, term)) && !this.#unwanted.some(term => hasExact(text, term))
  }

  #termsIn(text: string): number {
    return new Set(this.#marker.marks(text).map(({ term }) => term)).size
  }

  #titleTerms(title: string | null): number {
    return title === null || this.#terms.length === 0 ? 0 : this.#termsIn(title) / Math.max(1, this.#marker.terms)
  }
}

function filterOf(index: SearchIndex, query: SearchQuery, { isWanted }: FindOptions): Filter {
  const { agent, project, since, until } = query
  const range = {
    ...(since === undefined ? {} : { from: idAt(since / 1000) }),
    ...(until === undefined ? {} : { to: idAt(until / 1000 + 1) - 1 }),
  }
  const isLimited = agent !== undefined || project !== undefined || query.in !== undefined
  const folder = project === undefined ? undefined : resolve(project)
  const isInFolder = (own: string | null): boolean =>
    folder === undefined ||
    (own !== null && (own === folder || own.startsWith(folder.endsWith(sep) ? folder : folder + sep)))
  const sessions = isLimited
    ? new Set(
        index.sessions().flatMap(session => {
          const [ownAgent = '', , ownId = ''] = session.key.split('\n')
          const isAgent = agent === undefined || ownAgent === agent
          const isSession = query.in === undefined || isNamed(query.in, ownAgent, ownId, session.key)
          return isAgent && isSession && isInFolder(session.project) ? [session.id] : []
        }),
      )
    : undefined
  const wanted = isWanted === undefined ? {} : { isWanted: (session: IndexedSession) => isWanted(foundIn(session)) }
  return { ...range, ...(sessions === undefined ? {} : { sessions }), ...wanted }
}

/** By its id, the beginning of one, `agent:id`, or the path of its file. */
function isNamed(name: string, agent: string, id: string, key: string): boolean {
  if (id.startsWith(name)) return true
  const own = name.startsWith(`${agent}:`) ? name.slice(agent.length + 1) : undefined
  return own !== undefined ? id.startsWith(own) : key === `${agent}\n${name}\n${id}`
}

function foundIn(session: IndexedSession): FoundIn {
  const { agent, sessionId, filePath, updatedAt } = refOf(session)
  const { title, project } = session
  return {
    ...{ agent, sessionId, filePath, updatedAt },
    ...(title === null ? {} : { title }),
    ...(project === null ? {} : { project }),
  }
}
