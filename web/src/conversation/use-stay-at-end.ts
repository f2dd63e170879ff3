// Keeps the end in view when the pane shrinks or the last message grows, such as when a terminal opens below.
import type { RefObject } from 'react'
import { useEffect, useRef } from 'react'

interface End {
  startsAtEnd: boolean
  /** The distance that counts as the end. */
  nearPx: number
  toEnd: () => void
}

/** The exact end, with the rounding of browsers. */
const EXACTLY_PX = 2

/**
 * Returns a function to call when the reader has scrolled. Shrinking or growing does not count as scrolling.
 */
export function useStayAtEnd(scroller: RefObject<HTMLElement | null>, { startsAtEnd, nearPx, toEnd }: End): () => void {
  const wasAtEnd = useRef(startsAtEnd)
  const lastTop = useRef(0)
  useEffect(() => {
    const room = scroller.current
    if (room === null) return
    const observer = new ResizeObserver(() => {
      if (wasAtEnd.current) toEnd()
    })
    observer.observe(room)
    if (room.firstElementChild !== null) observer.observe(room.firstElementChild)
    return () => observer.disconnect()
  }, [scroller, toEnd])
  return () => {
    const room = scroller.current
    if (room === null) return
    const { scrollTop, scrollHeight, clientHeight } = room
    // Any upward scroll is intended.
    const isUp = scrollTop < lastTop.current
    lastTop.current = scrollTop
    wasAtEnd.current = scrollHeight - scrollTop - clientHeight <= (isUp ? EXACTLY_PX : nearPx)
  }
}
