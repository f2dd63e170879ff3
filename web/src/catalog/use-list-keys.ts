// The keyboard in the list: arrows, Home, End and Page keys move, Enter opens; j and k work on the whole
// page. The active row is not the same as the open conversation.
import type { KeyboardEvent } from 'react'
import { useEffect, useState } from 'react'
import { useShortcut } from '../keyboard.ts'
import { makeStore } from '../state/store.ts'
import { enterSession } from '../state/view.ts'
import type { Item } from './items.ts'
import { rowFrom } from './items.ts'
import { requestAll } from './list.ts'

const PAGE_STEP = 10

export interface ListKeys {
  onKeyDown: (event: KeyboardEvent) => void
  move: (by: number) => void
  open: () => void
}

/** `at` is the active row, or else the open one. */
export function useListKeys(items: readonly Item[], at: string | null, scrollTo: (index: number) => void): ListKeys {
  const [wantsEnd, setWantsEnd] = useState(false)
  const moveTo = (item: Item | undefined) => {
    if (item?.type !== 'row') return
    activeRow.set(item.key)
    scrollTo(items.indexOf(item))
  }
  const move = (by: number) => moveTo(rowFrom(items, at, by))
  const open = () => {
    const wanted = rowFrom(items, at, 0)
    if (wanted !== undefined) enterSession(wanted.key)
  }
  useEffect(() => {
    if (!wantsEnd) return
    setWantsEnd(false)
    moveTo(items.at(-1))
  })
  useGlobalKeys(move, open, at)
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(PAGE_STEP),
    PageUp: () => move(-PAGE_STEP),
    Home: () => move(Number.NEGATIVE_INFINITY),
    // The end of the list may not be loaded yet.
    End: () => void requestAll().then(() => setWantsEnd(true)),
    Enter: open,
    ' ': open,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const run = keys[event.key]
    if (run === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    run()
  }
  return { onKeyDown, move, open }
}

/** Without a focused element the arrows move in the list; otherwise they scroll. */
function useGlobalKeys(move: (by: number) => void, open: () => void, at: string | null): void {
  const isFree = () => document.activeElement === document.body
  useShortcut('j', 'Next conversation', () => move(1))
  useShortcut('k', 'Previous conversation', () => move(-1))
  useShortcut('ArrowDown', 'Next conversation', () => (isFree() ? move(1) : false))
  useShortcut('ArrowUp', 'Previous conversation', () => (isFree() ? move(-1) : false))
  useShortcut('Enter', 'Open the conversation', () => (isFree() && at !== null ? open() : false))
}

export const activeRow = makeStore<string | null>(null)
