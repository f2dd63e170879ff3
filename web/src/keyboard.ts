// Shortcuts of the whole page. Each part registers its own while it is mounted. The help overlay lists the
// registered ones.
import { useEffect, useEffectEvent } from 'react'
import { makeStore } from './state/store.ts'

/** The second key of "g h" must follow within this time. */
const SEQUENCE_MS = 1000

/** Returns false if it did nothing: an earlier shortcut with the same key gets it, then the browser. */
export type ShortcutHandler = (event: KeyboardEvent) => unknown

export interface Shortcut {
  /** A KeyboardEvent.key: "j", "?", "Escape", "ArrowDown"; "mod+k" for ⌘ or Ctrl; "g h" for a sequence. */
  key: string
  label: string
  run: ShortcutHandler
}

/** In the order of registration. Of two with the same key the later one runs first. */
export const shortcuts = makeStore<readonly Shortcut[]>([])

export function useShortcut(key: string, label: string, run: ShortcutHandler, isOn = true): void {
  const latest = useEffectEvent(run)
  useEffect(() => {
    if (!isOn) return
    const shortcut: Shortcut = { key, label, run: event => latest(event) }
    shortcuts.set(before => [...before, shortcut])
    return () => shortcuts.set(before => before.filter(other => other !== shortcut))
  }, [key, label, isOn])
}

/** One step back. Esc in a text box only leaves the text box. */
export function useEscape(label: string, run: () => void): void {
  useShortcut('Escape', label, () => {
    if (document.activeElement?.matches('input, textarea, select') === true) return false
    run()
    return true
  })
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** The displayed name: "⌘K" or "Ctrl K", "↓", "Esc". */
export function keyName(key: string): string {
  const names: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc', Enter: 'Enter' }
  if (key.startsWith('mod+')) return `${isMac ? '⌘' : 'Ctrl '}${key.slice(4).toUpperCase()}`
  return names[key] ?? key
}

let pending = ''
let pendingSince = 0

export function startKeyboard(): () => void {
  // In the capture phase, because a terminal stops the keys it handles.
  addEventListener('keydown', onKey, { capture: true })
  return () => removeEventListener('keydown', onKey, { capture: true })
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModalOpen()) return
  const pressed = nameOf(event)
  if (pressed === undefined || !isAllowed(pressed, event)) return
  const isFollowing = pending !== '' && event.timeStamp - pendingSince < SEQUENCE_MS
  const sequence = isFollowing ? `${pending} ${pressed}` : ''
  pending = ''
  if (sequence !== '' && runFirst(sequence, event)) return
  if (runFirst(pressed, event)) return
  if (shortcuts.get().some(({ key }) => key.startsWith(`${pressed} `))) {
    pending = pressed
    pendingSince = event.timeStamp
  }
}

function runFirst(key: string, event: KeyboardEvent): boolean {
  const known = shortcuts.get().filter(shortcut => shortcut.key === key)
  for (const shortcut of known.reverse()) {
    if (shortcut.run(event) === false) continue
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return false
}

function nameOf(event: KeyboardEvent): string | undefined {
  const isMod = event.metaKey || event.ctrlKey
  if (event.altKey) return undefined
  return isMod ? `mod+${event.key.toLowerCase()}` : event.key
}

/**
 * In a text field only Esc, ⌘K and ⌘F are ours. In a terminal Esc and Ctrl-K belong to
 * the program, and ⌘K and Ctrl-Shift-K are ours.
 */
function isAllowed(pressed: string, event: KeyboardEvent): boolean {
  const { target } = event
  if (!(target instanceof HTMLElement)) return true
  if (target.closest('.xterm') !== null) return pressed === 'mod+k' && (event.metaKey || event.shiftKey)
  const isTyping = target.isContentEditable || target.matches('input, textarea, select')
  return !isTyping || pressed === 'Escape' || pressed === 'mod+k' || pressed === 'mod+f'
}

/** A dialog gets all keys, including Esc. */
function isModalOpen(): boolean {
  return document.querySelector('dialog:modal') !== null
}
