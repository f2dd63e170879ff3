// Keeps the end in view when the pane shrinks or the last message grows, such as when a terminal opens below.
import type { RefObject } from 'react'
import { useEffect, useRef } from 'react'

interface End {
  startsAtEnd: boolean
  /** A reader who scrolls down to this distance wants the end. */
  nearPx: number
  toEnd: () => void
}

/** The exact end, with the rounding of browsers. */
export const EXACTLY_PX = 2

/**
 * Returns a function to call when the reader has scrolled. Shrinking or growing does not count as scrolling.
 */
export function useStayAtEnd(scroller: RefObject<HTMLElement | null>, { startsAtEnd, nearPx, toEnd }: End): () => void {
  const wasAtEnd = useRef(startsAtEnd)
  const last = useRef({ top: 0, distance: 0 })
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
    const { scrollTop: top, scrollHeight, clientHeight } = room
    const distance = scrollHeight - top - clientHeight
    const [isUp, isNearer] = [top < last.current.top, distance < last.current.distance]
    last.current = { top, distance }
    if (distance <= EXACTLY_PX) wasAtEnd.current = true
    // Any upward scroll is intended.
    else if (isUp || distance > nearPx) wasAtEnd.current = false
    // What grows above the visible part moves the top and not the reader.
    else if (isNearer) wasAtEnd.current = true
  }
}
