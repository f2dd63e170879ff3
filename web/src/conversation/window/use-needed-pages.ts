// Requests the pages around the visible messages. While the user drags the scroll bar, pages on the way are
// skipped.
import { useEffect, useRef } from 'react'
import type { MessageWindow } from './message-window.ts'
import type { WindowState } from './window-state.ts'

const AHEAD = 40
const GAP_MS = 60

export function useNeededPages(
  messages: MessageWindow,
  range: { startIndex: number; endIndex: number } | null,
  state: WindowState,
): void {
  const lastAsked = useRef(0)
  const first = range?.startIndex
  const last = range?.endIndex
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded may have changed with any new state
  useEffect(() => {
    if (first === undefined || last === undefined) return
    const wait = Math.max(0, lastAsked.current + GAP_MS - performance.now())
    const timer = setTimeout(() => {
      lastAsked.current = performance.now()
      messages.need(first - AHEAD, last + AHEAD)
    }, wait)
    return () => clearTimeout(timer)
  }, [messages, first, last, state])
}
