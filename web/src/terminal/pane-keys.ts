// Keys that a pane takes from its program: search, copy, and leave. All others, including Esc, belong to the
// program.
import { makeStore } from '../state/store.ts'
import { viewOf } from './views.ts'

/** Enters and leaves the terminal. */
export const LEAVE_KEY = 'F6'
/** The pane with an open search box. */
export const searching = makeStore<string | null>(null)

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
/** The focused element before the terminal was entered. */
let before: HTMLElement | undefined

addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && target.closest('[data-terminals]') === null) before = target
})

/** Returns true if the pane handled the key. */
export function handleKey(pane: string, event: KeyboardEvent): boolean {
  if (event.type !== 'keydown') return false
  const isMod = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
  const key = event.key.toLowerCase()
  if (event.key === LEAVE_KEY) leave(pane)
  else if (isMod && !event.shiftKey && !event.altKey && key === 'f') searching.set(pane)
  else if (event.ctrlKey && event.shiftKey && key === 'c') copySelection(pane)
  else return false
  event.preventDefault()
  return true
}

function leave(pane: string): void {
  if (before?.isConnected && before.offsetParent !== null && before !== document.body) before.focus()
  else document.querySelector<HTMLElement>(`[data-pane-head="${pane}"] button`)?.focus()
}

function copySelection(pane: string): void {
  const text = viewOf(pane)?.terminal.getSelection() ?? ''
  // Missing if the page comes from another machine without TLS.
  if (text !== '') void navigator.clipboard?.writeText(text).catch(() => undefined)
}
