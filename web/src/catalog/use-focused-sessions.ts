// Sends the visible sessions to the server, so that they are checked first and their status is sent.
import { useEffect } from 'react'
import { focusSessions } from '../state/socket.ts'
import { useStore } from '../state/store.ts'
import { unlisted } from '../state/unlisted.ts'
import type { Item } from './items.ts'

/** Rows that are scrolled past are not sent. */
const SETTLED_MS = 200
const MOST_VISIBLE = 100
const MOST_BACKGROUND = 200

interface Range {
  startIndex: number
  endIndex: number
}

export function useFocusedSessions(items: readonly Item[], range: Range | null, open: string | null): void {
  // A conversation without messages cannot be checked.
  const active = useStore(unlisted).has(open ?? '') ? null : open
  const start = range?.startIndex ?? 0
  const end = range?.endIndex ?? 0
  const named = JSON.stringify({
    ...(active === null ? {} : { active }),
    visible: keysOf(items.slice(start, end + 1)).slice(0, MOST_VISIBLE),
    background: keysOf(items.slice(end + 1, end + 1 + MOST_BACKGROUND)),
  })
  useEffect(() => {
    const timer = setTimeout(() => focusSessions(JSON.parse(named)), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [named])
}

function keysOf(items: readonly Item[]): string[] {
  return items.filter(item => item.type === 'row').map(({ key }) => key)
}
