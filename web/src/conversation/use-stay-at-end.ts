// Whoever read the end still does when the room gets smaller or the last message grows: a terminal that opens below hides nothing of it.
import type { RefObject } from 'react'
import { useEffect, useRef } from 'react'

interface End {
  startsAtEnd: boolean
  /** Near enough, or within so many pixels. */
  isAtEnd: (pixels?: number) => boolean
  toEnd: () => void
}

/** At the very end, whatever the browser rounds. */
const EXACTLY_PX = 2

/** Returns what is to be called when the reader has scrolled: what shrinks or grows does not scroll. */
export function useStayAtEnd(
  scroller: RefObject<HTMLElement | null>,
  { startsAtEnd, isAtEnd, toEnd }: End,
): () => void {
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
    const top = scroller.current?.scrollTop ?? 0
    // However little somebody goes up: it is meant.
    const isUp = top < lastTop.current
    lastTop.current = top
    wasAtEnd.current = isUp ? isAtEnd(EXACTLY_PX) : isAtEnd()
  }
}
