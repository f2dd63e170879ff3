// Whoever read the end still does when the room gets smaller: a terminal that opens below hides nothing of the last message.
import type { RefObject } from 'react'
import { useEffect, useRef } from 'react'

/** Returns what is to be called when the reader has scrolled: a room that shrinks does not scroll. */
export function useStayAtEnd(
  scroller: RefObject<HTMLElement | null>,
  { startsAtEnd, isAtEnd, toEnd }: { startsAtEnd: boolean; isAtEnd: () => boolean; toEnd: () => void },
): () => void {
  const wasAtEnd = useRef(startsAtEnd)
  useEffect(() => {
    const room = scroller.current
    if (room === null) return
    const observer = new ResizeObserver(() => {
      if (wasAtEnd.current) toEnd()
    })
    observer.observe(room)
    return () => observer.disconnect()
  }, [scroller, toEnd])
  return () => {
    wasAtEnd.current = isAtEnd()
  }
}
