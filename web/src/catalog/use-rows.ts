// Which rows are mounted, and when more of them are requested.
import { useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'
import { useCallback, useEffect, useRef } from 'react'
import type { Item } from './items.ts'
import { requestMore } from './list.ts'
import { activeRow } from './use-list-keys.ts'

const HEADING_HEIGHT = 28
const ROW_HEIGHT = 50
/** How many rows before the end the next page is requested. */
const AHEAD = 30

export function useRows(items: readonly Item[], scroller: RefObject<HTMLDivElement | null>) {
  // A stable function: a new one would recompute all sizes at every scroll.
  const getItemKey = useCallback((index: number) => items[index]?.key ?? index, [items])
  return useVirtualizer<HTMLDivElement, Element>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: index => (items[index]?.type === 'heading' ? HEADING_HEIGHT : ROW_HEIGHT),
    getItemKey,
    overscan: 8,
    paddingEnd: 8,
    scrollPaddingStart: HEADING_HEIGHT,
    scrollPaddingEnd: 8,
  })
}

/** Scrolls once to a conversation that was opened outside the list. */
export function useOpenInView(items: readonly Item[], open: string | null, scrollTo: (index: number) => void): void {
  const done = useRef<string | null>(null)
  useEffect(() => {
    if (open === null || done.current === open) {
      done.current = open
      return
    }
    const index = items.findIndex(({ key }) => key === open)
    if (index === -1) return
    done.current = open
    activeRow.set(open)
    scrollTo(index)
  })
}

export function useMorePages(count: number, last: number): void {
  useEffect(() => {
    if (last >= count - AHEAD) requestMore()
  }, [count, last])
}
