// Which rows are drawn, and when more of them are asked for.
import { useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'
import { useCallback, useEffect, useRef } from 'react'
import { activeRow } from './active-row.ts'
import type { Item } from './items.ts'
import { askMore } from './list.ts'

const HEADING_HEIGHT = 28
const ROW_HEIGHT = 50
/** Rows before the end at which the next page is asked for. */
const AHEAD = 30

export function useRows(items: readonly Item[], scroller: RefObject<HTMLDivElement | null>) {
  // A new function would have all sizes added up again at every scroll.
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

/** A conversation that was opened from elsewhere is shown in the list as well, once. */
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
    if (last >= count - AHEAD) askMore()
  }, [count, last])
}
