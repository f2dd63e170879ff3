// The order of the list: by group, then by the sort field, then by key, so that it is total.
import type { SessionsQuery } from '../api.ts'
import type { Entry } from './entries.ts'
import { bounded, dayOf, foldForSort, withoutControls } from './sort-text.ts'

export interface Mode {
  group: NonNullable<SessionsQuery['group']> | 'none'
  sort: NonNullable<SessionsQuery['sort']>
  order: NonNullable<SessionsQuery['order']>
}

/** The position of a session. It stays valid after the session is gone. */
export interface SortPosition {
  group: string
  sort: string | number
  key: string
}

export interface Placed extends SortPosition {
  entry: Entry
}

const MAX_GROUP_BYTES = 160
const MAX_TITLE_BYTES = 120
/** Sorts after every path and every title. */
const LAST = '\uffff'

export function modeOf({ group, sort = 'updated', order }: SessionsQuery): Mode {
  return { group: group ?? 'none', sort, order: order ?? (sort === 'title' ? 'up' : 'down') }
}

export function place(entry: Entry, mode: Mode, titleOf: (agent: string) => string): Placed {
  return { entry, group: groupOf(entry, mode, titleOf), sort: sortOf(entry, mode), key: entry.key }
}

function groupOf(entry: Entry, mode: Mode, titleOf: (agent: string) => string): string {
  switch (mode.group) {
    case 'none':
      return ''
    case 'day':
      // Pinned ones come first in either direction.
      if (entry.row.pinned === true) return groupSign(mode) === 1 ? '' : LAST
      return dayOf(entry)
    case 'project':
      return entry.row.project === null ? LAST : bounded(withoutControls(entry.row.project), MAX_GROUP_BYTES)
    case 'agent':
      return titleOf(entry.row.agent)
  }
}

function sortOf(entry: Entry, { sort }: Mode): string | number {
  switch (sort) {
    case 'updated':
      return entry.time
    case 'size':
      return entry.row.fileSize
    case 'messages':
      return entry.row.messageCount ?? -1
    case 'title':
      entry.derived.title ??=
        entry.row.title === null ? LAST : bounded(foldForSort(entry.row.title).trim(), MAX_TITLE_BYTES)
      return entry.derived.title
  }
}

function sortSignOf({ order }: Mode): 1 | -1 {
  return order === 'up' ? 1 : -1
}

/** Day groups are sorted by date, all others by name. */
function groupSign(mode: Mode): 1 | -1 {
  return mode.group === 'day' ? (mode.sort === 'updated' ? sortSignOf(mode) : -1) : 1
}

export function comparison(mode: Mode): (a: SortPosition, b: SortPosition) => number {
  const sortSign = sortSignOf(mode)
  const sign = groupSign(mode)
  return (a, b) => {
    if (a.group !== b.group) return a.group < b.group ? -sign : sign
    if (a.sort !== b.sort) return a.sort < b.sort ? -sortSign : sortSign
    return a.key === b.key ? 0 : a.key < b.key ? -1 : 1
  }
}
