// What the palette offers for the words typed: actions of the page first, then conversations of the server.
import { useEffect, useState } from 'react'
import type { SessionRow } from '../../../src/server/protocol.ts'
import { plural } from '../common/format.ts'
import type { Shortcut } from '../keyboard.ts'
import { shortcuts } from '../keyboard.ts'
import { counts } from '../library/figures.ts'
import { showFiltered } from '../library/filters.ts'
import { NO_FILTERS } from '../library/query.ts'
import { api } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { enterSession } from '../state/view.ts'
import { nextTheme } from '../theme.ts'
import { NEW_CONVERSATION, overlay } from './overlay.ts'

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
/** These move in the list, which the palette covers. */
const NOT_OFFERED = /^(Arrow|Enter|Escape|mod\+k|j$|k$)/

export function useEntries(text: string): { entries: Entry[]; state: string } {
  const words = text.trim()
  const asked = useSettled(words)
  const found = useRequest(`palette ${asked}`, signal =>
    api.sessions({ limit: MOST_SESSIONS, ...(asked === '' ? {} : { text: asked }) }, signal),
  )
  const known = useStore(shortcuts)
  const { needRepair, needDecision } = useStore(counts) ?? { needRepair: 0, needDecision: 0 }
  const actions = [...shortcutActions(known), ...ownActions(needRepair, needDecision)].filter(({ label }) =>
    fits(label, words),
  )
  const sessions = useLast(found.answer?.sessions).map(toEntry)
  const state = found.state === 'failed' ? found.failure.message : stateOf(found.answer?.total, words)
  // With nothing typed, the newest conversations are what most come for.
  return { entries: words === '' ? [...sessions.slice(0, 6), ...actions] : [...actions, ...sessions], state }
}

/** What was found before stays until something else is. */
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

function shortcutActions(known: readonly Shortcut[]): ActionEntry[] {
  // Among the others below: where its key means something else just now, it is offered all the same.
  const offered = known.filter(({ key, label }) => !NOT_OFFERED.test(key) && label !== NEW_CONVERSATION)
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
    { ...make(NEW_CONVERSATION, () => overlay.set('new-conversation')), keys: 'n' },
    ...repairs,
    make('Show all conversations', () => showFiltered(NO_FILTERS)),
    make('Show the largest conversations', () => showFiltered({ arrange: 'largest' })),
    make('Change the theme', () => void nextTheme()),
  ]
}

/** Every word is in the label, in any order. */
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
