// The widths of the list and the health panel. The user chooses them, the browser stores them, and the
// conversation always keeps a minimum width.
import { useSyncExternalStore } from 'react'
import { z } from 'zod'
import { makeStore, useStore } from '../state/store.ts'

export type Column = 'list' | 'health'
export type Widths = Record<Column, number>

export interface Fitted {
  width: number
  least: number
  most: number
}

const KEY = 'rethread.columns'
export const FIRST_WIDTHS: Widths = { list: 320, health: 320 }
const BOUNDS = { list: { least: 240, most: 520 }, health: { least: 280, most: 560 } }
/** The minimum width of the conversation, in pixels. */
const LEAST_BETWEEN = 400

const widthsSchema = z.object({ list: z.number().positive(), health: z.number().positive() })

export const widths = makeStore<Widths>(storedWidths())

widths.subscribe(() => {
  try {
    localStorage.setItem(KEY, JSON.stringify(widths.get()))
  } catch {
    // Without browser storage the choice is lost with the page.
  }
})

export function setWidth(column: Column, width: number): void {
  widths.set(before => ({ ...before, [column]: Math.round(width) }))
}

/** Fits the widths into a window of `room` pixels. The list shrinks first. */
export function fitWidths(wanted: Widths, room: number, hasHealth: boolean): Record<Column, Fitted> {
  const healthMost = Math.min(BOUNDS.health.most, room - BOUNDS.list.least - LEAST_BETWEEN)
  const health = within('health', wanted.health, healthMost)
  const taken = hasHealth ? health.width : 0
  const list = within('list', wanted.list, Math.min(BOUNDS.list.most, room - taken - LEAST_BETWEEN))
  return { list, health }
}

function within(column: Column, wanted: number, most: number): Fitted {
  const { least } = BOUNDS[column]
  const highest = Math.max(least, most)
  return { width: Math.min(Math.max(wanted, least), highest), least, most: highest }
}

export function useColumns(hasHealth: boolean): Record<Column, Fitted> {
  const wanted = useStore(widths)
  const room = useSyncExternalStore(onResize, () => innerWidth)
  return fitWidths(wanted, room, hasHealth)
}

function onResize(listener: () => void): () => void {
  addEventListener('resize', listener)
  return () => removeEventListener('resize', listener)
}

function storedWidths(): Widths {
  try {
    const parsed = widthsSchema.safeParse(JSON.parse(localStorage.getItem(KEY) ?? 'null'))
    return parsed.success ? parsed.data : FIRST_WIDTHS
  } catch {
    return FIRST_WIDTHS
  }
}
