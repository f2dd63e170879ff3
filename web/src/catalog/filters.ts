// The current filters. The home view and the palette set them; the list reads them.
import { layoutNow } from '../common/use-layout.ts'
import { makeStore } from '../state/store.ts'
import { showPane } from '../state/view.ts'
import type { Filters } from './query.ts'
import { NO_FILTERS } from './query.ts'

export const filters = makeStore<Filters>(NO_FILTERS)

export function changeFilters(change: Partial<Filters>): void {
  filters.set(before => ({ ...before, ...change }))
}

/** For a figure of the home view: resets all other filters. */
export function showFiltered(change: Partial<Filters>): void {
  filters.set({ ...NO_FILTERS, ...change })
  if (layoutNow() === 'narrow') showPane('list')
}
