// The way of the keyboard into an opened conversation: to the pane at once, and on to its messages as soon as they are drawn.
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

/** Takes the focus from the pane around it, and gives it back where the list is drawn again from the beginning. */
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
