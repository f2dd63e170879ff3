// Keeps the scroll position when rows above the visible part are added, removed or moved.
import type { Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef } from 'react'
import type { Item } from './items.ts'
import { findShift, type Place } from './shift.ts'

/** `items` is a new array after each renewal, `asked` a new object for each new query. */
export function useAnchor(
  virtual: Virtualizer<HTMLDivElement, Element>,
  items: readonly Item[],
  asked: unknown,
  open: string | null,
): void {
  const before = useRef<{ items: readonly Item[]; asked: unknown; drawn: Place[] }>({ items, asked, drawn: [] })
  useLayoutEffect(() => {
    const old = before.current
    const drawn = virtual.getVirtualItems().map(({ key, start, end }) => ({ key, start, end }))
    before.current = { items, asked, drawn }
    const scroller = virtual.scrollElement
    if (scroller === null || old.items === items) return
    if (old.asked !== asked) {
      scroller.scrollTop = 0
      return
    }
    const indexes = new Map(items.map(({ key }, index) => [key, index]))
    const startOf = (key: Place['key']) => virtual.measurementsCache[indexes.get(String(key)) ?? -1]?.start
    scroller.scrollTop += findShift(old.drawn, startOf, scroller, open)
  })
}
