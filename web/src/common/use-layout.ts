// How many panes fit side by side.
import { useSyncExternalStore } from 'react'

/** Three columns; two columns with health as a drawer over the conversation; or one pane at a time. */
export type Layout = 'wide' | 'middle' | 'narrow'

const wide = matchMedia('(min-width: 1200px)')
const middle = matchMedia('(min-width: 640px)')

export function layoutNow(): Layout {
  if (wide.matches) return 'wide'
  return middle.matches ? 'middle' : 'narrow'
}

export function useLayout(): Layout {
  return useSyncExternalStore(subscribe, layoutNow)
}

function subscribe(listener: () => void): () => void {
  wide.addEventListener('change', listener)
  middle.addEventListener('change', listener)
  return () => {
    wide.removeEventListener('change', listener)
    middle.removeEventListener('change', listener)
  }
}
