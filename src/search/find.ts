// Finds conversations in the index: candidates by words, the best of them by what their text says.
import { resolve, sep } from 'node:path'
import type { Context } from '../catalog/context.ts'
import { type FoundPart, type IndexedPart, type IndexRow, idAt, type SearchIndex } from '../disk/search/search-index.ts'
import type { SessionRef } from '../model/session.ts'
import { indexedKey } from './batch.ts'
import { type Candidate, type CandidateFilter, stagesOf } from './candidates.ts'
import { DEFAULT_PASSAGES, DEFAULT_RESULTS, MAX_PASSAGES } from './limits.ts'
import { type Mark, Marker, snippetOf } from './marks.ts'
import { unpackKind } from './parts.ts'
import { isTitle, Passages, placeOf, refOf } from './passages.ts'
import { hasExact, parseTyped, type Term } from './query.ts'
import { isEqual, rankText, scoreOf } from './rank.ts'
import type { SearchAnswer, SearchMatch, SearchQuery, SearchResult } from './shapes.ts'
import { withoutSequences } from './tokenizer.ts'

/** What is known of a conversation before its passages are read. */
export type FoundIn = Pick<SessionRef, 'agent' | 'sessionId' | 'filePath' | 'title' | 'project' | 'updatedAt'>

export interface FindOptions {
  isWanted?: (session: FoundIn) => boolean
  /** Sessions that are not indexed. Default: what the last update said. */
  behind?: number
}

/** Conversations beyond the limit whose best passage is read to find the order. */
const RANKED_BEYOND = 10
/** Within one conversation. */
const MAX_MATCHES_OF_CONVERSATION = 5000

export async function findIn(
  index: SearchIndex,
  context: Context,
  query: SearchQuery,
  options: FindOptions = {},
): Promise<SearchAnswer> {
  index.renew()
  const terms = parseTyped(query.text, query.isTyping)
  const limit = query.limit ?? DEFAULT_RESULTS
  const passages = query.passages ?? (query.in === undefined ? DEFAULT_PASSAGES : MAX_PASSAGES)
  const filter = filterOf(index, query, options)
  const reader = new Passages(context)
  try {
    const found = new Map<number, Ranked>()
    let isMore = false
    for (const stage of stagesOf(index, terms, query, filter)) {
      if (found.size >= Math.min(limit, stage.below)) continue
      const { candidates, isMore: hasMore } = stage.find()
      const examiner = new Examiner(index, reader, stage.terms(), passages)
      const fresh = candidates.filter(({ session }) => !found.has(session.id))
      isMore ||= hasMore || fresh.length > limit + RANKED_BEYOND
      for (const candidate of fresh.slice(0, limit + RANKED_BEYOND)) {
        const result = await examiner.examine(candidate)
        if (result !== undefined) found.set(candidate.session.id, result)
      }
    }
    const ranked = [...found.values()].sort(byScore)
    const results: SearchResult[] = []
    for (const each of ranked.slice(0, limit)) results.push(await each.complete())
    return {
      results,
      indexed: { sessions: index.countSessions(), behind: options.behind ?? Number(index.fact('behind') ?? 0) },
      isMore: isMore || ranked.length > limit,
    }
  } finally {
    await reader.close()
  }
}

function byScore(a: Ranked, b: Ranked): number {
  return isEqual(a.score, b.score) ? b.updated - a.updated : b.score - a.score
}

/** The numbers of the messages of one conversation that match, in their order. */
export interface FoundMessages {
  messages: number[]
  isMore: boolean
}

export async function findMessages(
  index: SearchIndex,
  context: Context,
  session: Pick<SessionRef, 'agent' | 'filePath' | 'sessionId'>,
  query: Pick<SearchQuery, 'text' | 'isTyping' | 'role'>,
): Promise<FoundMessages> {
  index.renew()
  const known = index.sessionByKey(indexedKey(session))
  const terms = parseTyped(query.text, query.isTyping)
  const reader = new Passages(context)
  try {
    for (const stage of known === undefined ? [] : stagesOf(index, terms, query, { sessions: new Set([known.id]) })) {
      const { candidates, isMore } = stage.find(MAX_MATCHES_OF_CONVERSATION)
      const messages = new Set<number>()
      const examiner = new Examiner(index, reader, stage.terms(), MAX_PASSAGES)
      for (const candidate of candidates)
        for await (const { message } of examiner.proven(candidate)) messages.add(message)
      if (messages.size > 0) return { messages: [...messages].sort((a, b) => a - b), isMore }
    }
    return { messages: [], isMore: false }
  } finally {
    await reader.close()
  }
}

interface Ranked {
  score: number
  updated: number
  /** Reads the other passages of it. */
  complete(): Promise<SearchResult>
}

type RankedMatch = SearchMatch & { rank: number }

/** Reads the passages of candidates and makes results of them. */
class Examiner {
  readonly #index: SearchIndex
  readonly #reader: Passages
  readonly #exact: readonly Term[]
  readonly #unwanted: readonly Term[]
  readonly #marker: Marker
  readonly #passages: number

  constructor(index: SearchIndex, reader: Passages, terms: readonly Term[], passages: number) {
    this.#index = index
    this.#reader = reader
    this.#exact = terms.filter(({ type, isNot }) => type === 'exact' && !isNot)
    this.#unwanted = terms.filter(({ type, isNot }) => type === 'exact' && isNot)
    this.#marker = new Marker(terms)
    this.#passages = passages
  }

  /** Reads the best passage. Undefined where no part has the exact text of the query. */
  async examine(candidate: Candidate): Promise<Ranked | undefined> {
    const { session, parts, hits, hasTitle, isSpread } = candidate
    const ref = refOf(session)
    const needsProof = this.#exact.length > 0 || this.#unwanted.length > 0
    const matches = this.#matches(candidate, ref)
    const first = await next(matches)
    if (first === undefined && (needsProof || !hasTitle)) return undefined
    const { terms } = this.#marker
    const titleTerms = session.title === null || terms === 0 ? 0 : termsIn(this.#marker.marks(session.title)) / terms
    const score = scoreOf({
      best: first?.rank ?? 0,
      hits,
      messages: session.messages,
      terms: isSpread ? candidate.terms / Math.max(1, terms) : 1,
      titleTerms,
      isSpread,
      isSubagent: ref.subagentOf !== undefined,
    })
    const complete = async (): Promise<SearchResult> => {
      const shown = first === undefined ? [] : [first]
      for (let more = first; more !== undefined && shown.length < this.#passages; ) {
        more = await next(matches)
        if (more !== undefined) shown.push(more)
      }
      shown.sort(this.#passages > DEFAULT_PASSAGES ? byMessage : byRank)
      return {
        agent: ref.agent,
        sessionId: ref.sessionId,
        title: session.title,
        project: session.project,
        filePath: ref.filePath,
        updatedAt: new Date(ref.updatedAt).toISOString(),
        isArchived: ref.archived !== undefined,
        score: Math.round(score * 1000) / 1000,
        hits: needsProof && parts.length <= this.#passages ? shown.length : hits,
        matches: shown.map(({ rank, ...match }) => match),
      }
    }
    return { score, updated: ref.updatedAt, complete }
  }

  /** The parts that have the exact texts of the query. Nothing is read where it has none. */
  async *proven(candidate: Candidate): AsyncGenerator<FoundPart, void, void> {
    const isProof = this.#exact.length > 0 || this.#unwanted.length > 0
    for (const part of candidate.parts)
      if (!isTitle(part) && (!isProof || (await this.#provenPart(candidate, part)))) yield part
  }

  async #provenPart(candidate: Candidate, { id }: FoundPart): Promise<boolean> {
    const part = this.#index.part(id)
    return part !== undefined && (await this.#textOf(candidate, part)) !== undefined
  }

  async *#matches(candidate: Candidate, ref: SessionRef): AsyncGenerator<RankedMatch, void, void> {
    for (const { id, kind: packed } of candidate.parts) {
      const { role, part: kind } = unpackKind(packed)
      const part = kind === 'title' ? undefined : this.#index.part(id)
      const found = part === undefined ? undefined : await this.#textOf(candidate, part)
      if (part === undefined || found === undefined || kind === 'title') continue
      const snippet = snippetOf(found.text, found.marks)
      yield {
        message: part.message,
        role,
        part: kind,
        time: part.time === null ? null : new Date(part.time * 1000).toISOString(),
        snippet: snippet.snippet,
        marks: snippet.marks,
        place: placeOf(ref, part),
        rank: rankText({
          role,
          part: kind,
          size: part.size,
          marks: found.marks.length,
          snippet,
          terms: this.#marker.terms,
        }),
      }
    }
  }

  /** The stored record is tried first; what it does not show is read by the reader of the store. */
  async #textOf({ session, parts, isSpread }: Candidate, part: IndexedPart): Promise<MarkedText | undefined> {
    const wanted = isSpread ? 1 : this.#marker.terms
    const record = await this.#reader.record(session, part)
    for (const text of record?.texts ?? []) {
      const marked = this.#marked(text)
      if (marked !== undefined && termsIn(marked.marks) >= wanted) return marked
    }
    if (record?.isOwn === true && (this.#exact.length > 0 || this.#unwanted.length > 0)) return undefined
    const text = await this.#reader.readAgain(session, part, parts)
    return text === undefined ? undefined : this.#marked(text)
  }

  /** Undefined where the exact texts of the query are not in it. */
  #marked(stored: string): MarkedText | undefined {
    const text = withoutSequences(stored)
    const isProven =
      this.#exact.every(term => hasExact(text, term)) && !this.#unwanted.some(term => hasExact(text, term))
    return isProven ? { text, marks: this.#marker.marks(text) } : undefined
  }
}

interface MarkedText {
  text: string
  marks: Mark[]
}

async function next(matches: AsyncGenerator<RankedMatch, void, void>): Promise<RankedMatch | undefined> {
  const step = await matches.next()
  return step.done === true ? undefined : step.value
}

function byRank(a: RankedMatch, b: RankedMatch): number {
  return b.rank - a.rank || a.message - b.message
}

function byMessage(a: RankedMatch, b: RankedMatch): number {
  return a.message - b.message
}

function termsIn(marks: readonly Mark[]): number {
  return new Set(marks.map(({ term }) => term)).size
}

function filterOf(index: SearchIndex, query: SearchQuery, { isWanted }: FindOptions): CandidateFilter {
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
  const wanted = isWanted === undefined ? {} : { isWanted: (session: IndexRow) => isWanted(foundIn(session)) }
  return { ...range, ...(sessions === undefined ? {} : { sessions }), ...wanted }
}

/** By its id, the beginning of one, `agent:id`, or the path of its file. */
function isNamed(name: string, agent: string, id: string, key: string): boolean {
  if (id.startsWith(name) || key === name) return true
  const own = name.startsWith(`${agent}:`) ? name.slice(agent.length + 1) : undefined
  return own !== undefined ? id.startsWith(own) : key === `${agent}\n${name}\n${id}`
}

function foundIn(session: IndexRow): FoundIn {
  const { agent, sessionId, filePath, updatedAt } = refOf(session)
  const { title, project } = session
  return {
    ...{ agent, sessionId, filePath, updatedAt },
    ...(title === null ? {} : { title }),
    ...(project === null ? {} : { project }),
  }
}
