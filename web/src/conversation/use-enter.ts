// Moves the keyboard focus into an opened conversation: to the pane at once, then to its messages when they
// are mounted.
import type { RefObject } from 'react'
import { useEffect, useLayoutEffect } from 'react'
import { useStore } from '../state/store.ts'
import { entering } from '../state/view.ts'

export function useEnter(sessionKey: string, pane: RefObject<HTMLElement | null>): void {
  const wanted = useStore(entering)
  useEffect(() => {
    if (wanted !== sessionKey) return
    entering.set(null)
    const messages = pane.current?.querySelector<HTMLElement>('[role=feed]')
    const goal = messages ?? pane.current
    goal?.focus({ preventScroll: true })
  }, [wanted, sessionKey, pane])
}

/** Takes the focus from the surrounding pane, and returns it when the list is mounted again. */
export function useFocusOfPane(scroller: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const messages = scroller.current
    const pane = messages?.closest<HTMLElement>('section')
    if (pane != null && document.activeElement === pane) messages?.focus({ preventScroll: true })
    return () => {
      if (messages?.contains(document.activeElement)) pane?.focus({ preventScroll: true })
    }
  }, [scroller])
}
