// The loaded part of the list: requested page by page, renewed in place when the catalog changes.
import type { SessionRow, SessionStatusMessage, SessionsPage, SessionsQuery } from '../../../src/server/protocol.ts'
import { ApiFailure, api } from '../state/api.ts'
import { makeStore } from '../state/store.ts'
import { counts, progress } from './figures.ts'

const PAGE = 150
/** The largest page of the server. */
const LARGEST_PAGE = 500
/** The shortest time between two renewals while sessions are being found. */
const RENEW_EVERY_MS = 1000

export interface List {
  /** The query of the rows. A new object for every new query. */
  asked: SessionsQuery
  rows: readonly SessionRow[]
  total: number
  nextCursor: string | null
  failures: SessionsPage['failures']
  /** `loading` during a new query. The old rows stay until the answer arrives. */
  state: 'loading' | 'ready' | 'failed'
  failure: ApiFailure | null
}

const EMPTY: List = { asked: {}, rows: [], total: 0, nextCursor: null, failures: [], state: 'loading', failure: null }
export const list = makeStore<List>(EMPTY)

let asked: SessionsQuery = {}
let running = new AbortController()
let isAskingMore = false
let isRenewalDue = false
let isRenewing = false

export function requestList(query: SessionsQuery): void {
  asked = query
  begin()
  list.set(before => ({ ...before, state: 'loading' }))
  void attempt(async signal => show(await requestRows(PAGE, signal)))
}

export function requestMore(): void {
  const { nextCursor, state } = list.get()
  if (nextCursor === null || isAskingMore || state === 'loading') return
  isAskingMore = true
  begin()
  void attempt(async signal => {
    const page = await api.sessions({ ...asked, limit: PAGE, cursor: nextCursor }, signal)
    show({ ...page, sessions: [...list.get().rows, ...page.sessions] })
  }).finally(() => {
    isAskingMore = false
  })
}

/** For the End key. */
export async function requestAll(): Promise<void> {
  if (list.get().nextCursor === null) return
  begin()
  await attempt(async signal => show(await requestRows(Number.POSITIVE_INFINITY, signal)))
}

/** Renews the loaded part soon. One renewal runs at a time and finishes even during a stream of changes. */
export function renewList(): void {
  isRenewalDue = true
  if (isRenewing) return
  isRenewing = true
  setTimeout(() => void renew(), RENEW_EVERY_MS)
}

async function renew(): Promise<void> {
  isRenewalDue = false
  if (list.get().state === 'loading' || isAskingMore) isRenewalDue = true
  else await requestAgain()
  isRenewing = false
  if (isRenewalDue) renewList()
}

/** After an action of the user, whose effect must be visible at once. */
export async function renewAtOnce(): Promise<void> {
  begin()
  await requestAgain()
}

async function requestAgain(): Promise<void> {
  const loaded = Math.max(PAGE, list.get().rows.length)
  await attempt(async signal => show(await requestRows(loaded, signal)))
}

/** The server repeats the status of every row on the screen: only one that changed is drawn again. */
export function takeStatus({ key, status, loads, findings }: SessionStatusMessage): void {
  list.set(before => {
    const at = before.rows.findIndex(row => row.key === key)
    const row = before.rows[at]
    if (row === undefined) return before
    const next: SessionRow = { ...row, status, loads: loads ?? row.loads, findings: findings ?? row.findings }
    return hasSameHealth(row, next) ? before : { ...before, rows: before.rows.with(at, next) }
  })
}

function hasSameHealth(one: SessionRow, other: SessionRow): boolean {
  return (
    one.status === other.status &&
    one.findings === other.findings &&
    one.loads?.now === other.loads?.now &&
    one.loads?.afterRepair === other.loads?.afterRepair
  )
}

function begin(): void {
  running.abort()
  running = new AbortController()
}

async function attempt(ask: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { signal } = running
  try {
    await ask(signal)
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof ApiFailure)) throw error
    list.set(before => ({ ...before, state: 'failed', failure: error }))
  }
}

/** Requests pages until enough rows are loaded. A row that moved between two pages appears once. */
async function requestRows(wanted: number, signal: AbortSignal): Promise<SessionsPage> {
  let cursor: string | undefined
  const rows = new Map<string, SessionRow>()
  for (;;) {
    const limit = Math.min(LARGEST_PAGE, wanted - rows.size)
    const page = await api.sessions({ ...asked, limit, ...(cursor === undefined ? {} : { cursor }) }, signal)
    for (const row of page.sessions) rows.set(row.key, row)
    if (page.nextCursor === null || page.sessions.length === 0 || rows.size >= wanted)
      return { ...page, sessions: [...rows.values()] }
    cursor = page.nextCursor
  }
}

function show(page: SessionsPage): void {
  counts.set(page.counts)
  progress.set(page.progress)
  list.set({
    asked,
    rows: [...new Map(page.sessions.map(row => [row.key, row])).values()],
    total: page.total,
    nextCursor: page.nextCursor,
    failures: page.failures,
    state: 'ready',
    failure: null,
  })
}
