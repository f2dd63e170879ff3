// The entries of the palette for the typed words: actions of the page first, then conversations of the
// server.
import { useEffect, useState } from 'react'
import type { FoundSession, SearchPage, SessionRow } from '../../../src/server/protocol.ts'
import { counts } from '../catalog/figures.ts'
import { showFiltered } from '../catalog/filters.ts'
import { NO_FILTERS } from '../catalog/query.ts'
import { activeRow } from '../catalog/use-list-keys.ts'
import { formatCount, plural } from '../common/format.ts'
import type { Shortcut } from '../keyboard.ts'
import { shortcuts } from '../keyboard.ts'
import { api } from '../state/api.ts'
import { parseSearch, setWanted } from '../state/search-state.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { enterSession, jump, view } from '../state/view.ts'
import { nextTheme } from '../theme.ts'
import { ON_SESSION, overlay } from './overlay.ts'

export interface ActionEntry {
  kind: 'action'
  id: string
  label: string
  keys?: string
  run: () => void
}

export interface SessionEntry {
  kind: 'session'
  id: string
  row: SessionRow
  run: () => void
}

/** A passage of a conversation that was found by what was said in it. */
export interface PassageEntry {
  kind: 'passage'
  id: string
  result: FoundSession
  match: FoundSession['matches'][number]
  run: () => void
}

export type Entry = ActionEntry | SessionEntry | PassageEntry

const TYPING_MS = 60
/** While conversations are being indexed, the search is repeated. */
const INDEXING_MS = 1000
const MOST_FOUND = 12
const MOST_ACTIONS = 3
const MOST_SESSIONS = 30
const MOST_TITLES = 5
/** These keys move in the list, which the palette covers. */
const NOT_OFFERED = /^(Arrow|Enter|Escape|mod\+k|j$|k$)/

export function useEntries(text: string): { entries: Entry[]; state: string; isSettled: boolean } {
  const words = text.trim()
  const asked = useSettled(words)
  const found = useRequest(`palette ${asked}`, signal =>
    api.sessions({ limit: MOST_SESSIONS, ...(asked === '' ? {} : { text: asked.slice(0, 200) }) }, signal),
  )
  const said = useSaid(asked)
  const known = useStore(shortcuts)
  const { needRepair, needDecision } = useStore(counts) ?? { needRepair: 0, needDecision: 0 }
  const actions = [...shortcutActions(known, useHidden()), ...ownActions(needRepair, needDecision)].filter(
    ({ label }) => fits(label, words),
  )
  const sessions = useLast(found.answer?.sessions).map(toEntry)
  const state =
    found.state === 'failed'
      ? found.failure.message
      : `${stateOf(found.answer?.total, words, said.page)}${saidState(words, said.page)}`
  // Without words, the newest conversations come first.
  const entries =
    words === ''
      ? [...sessions.slice(0, 6), ...actions]
      : [...actions.slice(0, MOST_ACTIONS), ...sessions.slice(0, MOST_TITLES), ...passagesOf(said.page, words)]
  return { entries, state, isSettled: asked === words && found.state !== 'loading' && !said.isLoading }
}

/** What was said, as far as it is indexed. */
function useSaid(asked: string): { page: SearchPage | undefined; isLoading: boolean } {
  const request = useRequest(`said ${asked}`, async signal =>
    asked === ''
      ? undefined
      : await api.search({ ...parseSearch(asked, Date.now()), typing: 'yes', limit: MOST_FOUND }, signal),
  )
  const [page, setPage] = useState<SearchPage>()
  const { answer, again } = request
  useEffect(() => {
    if (answer !== undefined || asked === '') setPage(answer)
    if (answer?.indexing == null) return
    const timer = setTimeout(again, INDEXING_MS)
    return () => clearTimeout(timer)
  }, [answer, asked, again])
  return { page: answer ?? page, isLoading: request.state === 'loading' && asked !== '' }
}

function passagesOf(page: SearchPage | undefined, words: string): PassageEntry[] {
  return (page?.results ?? []).flatMap(result =>
    result.matches.map(match => ({
      kind: 'passage' as const,
      id: `${result.key} ${match.message} ${match.snippet}`,
      result,
      match,
      run: () => {
        enterSession(result.key)
        jump.set({ session: result.key, to: { message: match.message - 1 } })
        setWanted(parseSearch(words, Date.now()).text, match.message - 1)
      },
    })),
  )
}

function saidState(words: string, page: SearchPage | undefined): string {
  if (words === '' || page === undefined) return ''
  const { indexing, indexed } = page
  if (indexing !== null && indexing.total > 0)
    return ` · Indexing ${formatCount(indexing.done)} of ${plural(indexing.total, 'conversation')}`
  return ` · ${plural(indexed.sessions, 'conversation')} searched`
}

/** Actions that the current conversation does not support, or may not support. */
function useHidden(): ReadonlySet<string> {
  const open = useStore(view).session
  const key = open ?? activeRow.get()
  const { answer } = useRequest(`palette health ${key}`, async signal =>
    key === null ? null : await api.health(key, signal),
  )
  const hidden = new Set<string>()
  if (key === null) hidden.add(ON_SESSION.resume)
  if (answer?.verdict.isRepairable !== true) hidden.add(ON_SESSION.repair)
  if ((answer?.undo ?? null) === null) hidden.add(ON_SESSION.undo)
  return hidden
}

/** The last result stays until the next one arrives. */
function useLast(rows: SessionRow[] | undefined): SessionRow[] {
  const [last, setLast] = useState<SessionRow[]>([])
  useEffect(() => {
    if (rows !== undefined) setLast(rows)
  }, [rows])
  return rows ?? last
}

function toEntry(row: SessionRow): SessionEntry {
  return { kind: 'session', id: row.key, row, run: () => enterSession(row.key) }
}

function stateOf(total: number | undefined, words: string, page: SearchPage | undefined): string {
  if (total === undefined || (words !== '' && page === undefined)) return 'Searching'
  if (words === '') return plural(total, 'conversation')
  const said = page?.results.length ?? 0
  return `${plural(Math.max(total, said), 'conversation')}${page?.isMore === true ? ' and more' : ''} found`
}

function shortcutActions(known: readonly Shortcut[], hidden: ReadonlySet<string>): ActionEntry[] {
  const offered = known.filter(({ key, label }) => !NOT_OFFERED.test(key) && !hidden.has(label))
  const latest = new Map(offered.map(shortcut => [shortcut.key, shortcut]))
  return [...latest.values()].map(({ key, label, run }) => ({
    kind: 'action',
    id: `key ${key}`,
    label,
    keys: key,
    run: () => void run(new KeyboardEvent('keydown', { key })),
  }))
}

function ownActions(needRepair: number, needDecision: number): ActionEntry[] {
  const make = (label: string, run: () => void): ActionEntry => ({ kind: 'action', id: label, label, run })
  const repairs =
    needRepair === 0
      ? []
      : [
          make(`Show ${plural(needRepair, 'conversation')} to repair`, () =>
            showFiltered({ health: 'need-repair', hasSubagents: true }),
          ),
          ...(needRepair > needDecision ? [make('Repair all', () => overlay.set('repair-all'))] : []),
        ]
  return [
    ...repairs,
    make('Show all conversations', () => showFiltered(NO_FILTERS)),
    make('Show the largest conversations', () => showFiltered({ arrange: 'largest' })),
    make('Change the theme', () => void nextTheme()),
  ]
}

/** Whether the label contains every word, in any order. */
export function fits(label: string, words: string): boolean {
  const text = label.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

function useSettled(words: string): string {
  const [settled, setSettled] = useState(words)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(words), TYPING_MS)
    return () => clearTimeout(timer)
  }, [words])
  return settled
}
