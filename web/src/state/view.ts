// What is open: the conversation, its branch, a place to scroll to, and the pane that a phone shows. Stored
// in the address, so that reload and back work.
import { layoutNow } from '../common/use-layout.ts'
import { makeStore } from './store.ts'

/** A narrow screen shows one pane at a time. */
export type Pane = 'list' | 'conversation' | 'health' | 'terminal'

export interface View {
  /** The key of the open session; null for the home view. */
  session: string | null
  branch: string | null
  /** The restore point at which the conversation is shown; null for its present state. */
  version: number | null
  /** The id of the message that the address names. */
  message: string | null
  pane: Pane
}

export const view = makeStore<View>(fromAddress())

/** A message by its index or its id, or a byte of the file. */
export type JumpTarget = { message: number } | { id: string } | { byte: number }

/** A request to show a place in a conversation. The conversation pane clears it. */
export const jump = makeStore<{ session: string; to: JumpTarget } | null>(jumpOf(view.get()))

/** The session that should get the focus. The conversation pane clears it. */
export const entering = makeStore<string | null>(null)

/** The title of the open conversation, once it is known. */
export const openTitle = makeStore<{ session: string; title: string } | null>(null)

/** Opens a session and moves the focus into it, for the keyboard and for elements that disappear. */
export function enterSession(session: string, branch: string | null = null): void {
  openSession(session, branch)
  entering.set(session)
}

export function openSession(session: string, branch: string | null = null): void {
  go({ session, branch, message: null, version: null, pane: 'conversation' })
}

/** Shows a session as of a restore point. A screen with one pane at a time changes to the conversation. */
export function openVersion(session: string, version: number): void {
  const { pane } = view.get()
  go({ session, branch: null, message: null, version, pane: layoutNow() === 'middle' ? pane : 'conversation' })
}

/** Shows the home view, beside the list if there is room. */
export function goHome(): void {
  go({ session: null, branch: null, message: null, version: null, pane: 'list' })
}

/** Shows the home view instead of the list on a narrow screen. */
export function showHome(): void {
  go({ session: null, branch: null, message: null, version: null, pane: 'conversation' })
}

export function showPane(pane: Pane): void {
  go({ ...view.get(), pane })
}

function go(next: View): void {
  const before = view.get()
  if (toAddress(before) === toAddress(next)) return
  view.set(next)
  history.pushState(null, '', toAddress(next))
}

export function followAddress(): void {
  addEventListener('popstate', () => {
    view.set(fromAddress())
    jump.set(jumpOf(view.get()))
  })
}

function fromAddress(): View {
  const parameters = new URLSearchParams(location.hash.slice(1))
  const session = parameters.get('session')
  const pane = parameters.get('pane')
  return {
    session,
    branch: parameters.get('branch'),
    version: numberIn(parameters.get('version')),
    message: parameters.get('message'),
    pane: isPane(pane) ? pane : usualPane(session),
  }
}

/** The address for a link. The page follows it without reloading. */
export function addressOf(session: string): string {
  return toAddress({ session, branch: null, message: null, version: null, pane: 'conversation' })
}

/** The whole address of a message, without the token. It holds as long as the session stays in its file. */
export function linkTo(session: string, branch: string | undefined, message: string): string {
  const { origin, pathname } = location
  const target: View = { session, branch: branch ?? null, message, version: null, pane: 'conversation' }
  return `${origin}${pathname}${toAddress(target)}`
}

function jumpOf({ session, message }: View): { session: string; to: JumpTarget } | null {
  return session === null || message === null ? null : { session, to: { id: message } }
}

function toAddress({ session, branch, message, version, pane }: View): string {
  const parameters = new URLSearchParams()
  if (session !== null) parameters.set('session', session)
  if (branch !== null) parameters.set('branch', branch)
  if (version !== null) parameters.set('version', String(version))
  if (message !== null) parameters.set('message', message)
  if (pane !== usualPane(session)) parameters.set('pane', pane)
  const text = parameters.toString()
  return text === '' ? location.pathname : `#${text}`
}

function numberIn(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null
}

function usualPane(session: string | null): Pane {
  return session === null ? 'list' : 'conversation'
}

function isPane(value: string | null): value is Pane {
  return value === 'list' || value === 'conversation' || value === 'health' || value === 'terminal'
}
