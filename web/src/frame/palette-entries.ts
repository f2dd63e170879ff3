// The entries of the palette for the typed words: actions of the page first, then conversations of the
// server.
import { useEffect, useState } from 'react'
import type { SessionRow } from '../../../src/server/protocol.ts'
import { plural } from '../common/format.ts'
import type { Shortcut } from '../keyboard.ts'
import { shortcuts } from '../keyboard.ts'
import { counts } from '../library/figures.ts'
import { showFiltered } from '../library/filters.ts'
import { NO_FILTERS } from '../library/query.ts'
import { activeRow } from '../library/use-list-keys.ts'
import { api } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { enterSession, view } from '../state/view.ts'
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

export type Entry = ActionEntry | SessionEntry

const TYPING_MS = 120
const MOST_SESSIONS = 30
/** These keys move in the list, which the palette covers. */
const NOT_OFFERED = /^(Arrow|Enter|Escape|mod\+k|j$|k$)/

export function useEntries(text: string): { entries: Entry[]; state: string; isSettled: boolean } {
  const words = text.trim()
  const asked = useSettled(words)
  const found = useRequest(`palette ${asked}`, signal =>
    api.sessions({ limit: MOST_SESSIONS, ...(asked === '' ? {} : { text: asked }) }, signal),
  )
  const known = useStore(shortcuts)
  const { needRepair, needDecision } = useStore(counts) ?? { needRepair: 0, needDecision: 0 }
  const actions = [...shortcutActions(known, useHidden()), ...ownActions(needRepair, needDecision)].filter(
    ({ label }) => fits(label, words),
  )
  const sessions = useLast(found.answer?.sessions).map(toEntry)
  const state = found.state === 'failed' ? found.failure.message : stateOf(found.answer?.total, words)
  // Without words, the newest conversations come first.
  const entries = words === '' ? [...sessions.slice(0, 6), ...actions] : [...actions, ...sessions]
  return { entries, state, isSettled: asked === words && found.state !== 'loading' }
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

function stateOf(total: number | undefined, words: string): string {
  if (total === undefined) return 'Searching'
  return words === '' ? plural(total, 'conversation') : `${plural(total, 'conversation')} found`
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
