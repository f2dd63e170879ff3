// Whoever read the end still does when the room gets smaller or the last message grows: a terminal that opens below hides nothing of it.
import type { RefObject } from 'react'
import { useEffect, useRef } from 'react'

interface End {
  startsAtEnd: boolean
  /** So near it counts. */
  nearPx: number
  toEnd: () => void
}

/** At the very end, whatever the browser rounds. */
const EXACTLY_PX = 2

/** Returns what is to be called when the reader has scrolled: what shrinks or grows does not scroll. */
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
    // However little somebody goes up: it is meant.
    const isUp = scrollTop < lastTop.current
    lastTop.current = scrollTop
    wasAtEnd.current = scrollHeight - scrollTop - clientHeight <= (isUp ? EXACTLY_PX : nearPx)
  }
}
