// Names and tags that a person gave are found like titles, and before what was only said. Hidden
// conversations are left out, except where one of them is searched itself.
import { resolve, sep } from 'node:path'
import type { Context } from '../catalog/context.ts'
import type { SearchIndex } from '../disk/search/search-index.ts'
import { type Labels, labelsOf, readLabels } from '../disk/state/labels.ts'
import { RethreadError } from '../model/errors.ts'
import type { Label } from '../model/label.ts'
import { type FindOptions, findIn } from './find.ts'
import { DEFAULT_RESULTS } from './limits.ts'
import { refOf } from './passages.ts'
import { parseQuery } from './query.ts'
import type { SearchAnswer, SearchQuery, SearchResult } from './shapes.ts'
import { foldForSearch } from './tokenizer.ts'

/** Above every score of a text. */
const LABEL_SCORE = 10

export async function findLabelled(
  index: SearchIndex,
  context: Context,
  query: SearchQuery,
  options: FindOptions,
): Promise<SearchAnswer> {
  const labels = labelsFor(context)
  if (labels.entries.size === 0) return await findIn(index, context, query, options)
  const isWanted: FindOptions['isWanted'] = session =>
    (query.in !== undefined || labels.get(session)?.isHidden !== true) && options.isWanted?.(session) !== false
  const answer = await findIn(index, context, query, { ...options, isWanted })
  const results = answer.results.map(result => named(result, labels.get(result), query))
  const known = new Set(results.map(keyOf))
  const others = query.in === undefined ? labelledIn(index, query, labels, isWanted) : []
  const all = [...results, ...others.filter(result => !known.has(keyOf(result)))]
  all.sort((a, b) => (a.score >= LABEL_SCORE || b.score >= LABEL_SCORE ? b.score - a.score : 0))
  const limit = query.limit ?? DEFAULT_RESULTS
  return { ...answer, results: all.slice(0, limit), isMore: answer.isMore || all.length > limit }
}

/** Damaged labels are reported by the list. What was said is found without them. */
function labelsFor({ state }: Context): Labels {
  try {
    return readLabels(state)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return labelsOf(new Map())
  }
}

function named(result: SearchResult, label: Label | undefined, query: SearchQuery): SearchResult {
  if (label === undefined) return result
  const score = matches(label, query) ? LABEL_SCORE + result.score : result.score
  return { ...result, title: label.name ?? result.title, score }
}

/** Conversations in which nothing else matches. */
function labelledIn(
  index: SearchIndex,
  query: SearchQuery,
  labels: Labels,
  isWanted: NonNullable<FindOptions['isWanted']>,
): SearchResult[] {
  // These ask for messages.
  if ([query.role, query.file, query.since, query.until].some(filter => filter !== undefined)) return []
  if (![...labels.entries.values()].some(label => matches(label, query))) return []
  const folder = query.project === undefined ? undefined : resolve(query.project)
  return index.sessions().flatMap(({ id, key, project }): SearchResult[] => {
    const [agent = '', , sessionId = ''] = key.split('\n')
    const label = labels.get({ agent, sessionId })
    const isInside = folder === undefined || project === folder || project?.startsWith(folder + sep) === true
    if (label === undefined || !matches(label, query) || !isInside) return []
    if (query.agent !== undefined && query.agent !== agent) return []
    const session = index.sessionById(id)
    if (session === undefined) return []
    const { filePath, updatedAt, archived } = refOf(session)
    if (!isWanted({ agent, sessionId, filePath, updatedAt })) return []
    return [
      {
        ...{ agent, sessionId, filePath, project },
        title: label.name ?? session.title,
        updatedAt: new Date(updatedAt).toISOString(),
        isArchived: archived !== undefined,
        score: LABEL_SCORE,
        hits: 0,
        matches: [],
      },
    ]
  })
}

/** Every word of the query is in the name or the tags, and none that must not be. */
function matches({ name = '', tags }: Label, { text }: SearchQuery): boolean {
  const own = foldForSearch([name, ...tags.flatMap(tag => [tag, `#${tag}`])].join(' '))
  const terms = parseQuery(text)
  return terms.length > 0 && terms.every(term => own.includes(foldForSearch(term.text)) !== term.isNot)
}

function keyOf({ agent, filePath, sessionId }: SearchResult): string {
  return `${agent}\n${filePath}\n${sessionId}`
}
