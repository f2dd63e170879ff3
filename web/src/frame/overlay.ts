// Which dialog of the frame is open. At most one is.
import { searched } from '../state/search-state.ts'
import { makeStore } from '../state/store.ts'

export type Overlay = 'palette' | 'help' | 'repair-all' | 'new-conversation'

/** An address with a search opens it. */
export const overlay = makeStore<Overlay | null>(searched.get() === null ? null : 'palette')

export function closeOverlay(): void {
  overlay.set(null)
}

/** The name in the header, the palette and the help. */
export const NEW_CONVERSATION = 'New conversation'

/** Actions on the open conversation, or on the active row of the list. */
export const ON_SESSION = {
  resume: 'Resume the conversation',
  repair: 'Repair the conversation',
  undo: 'Undo the last repair',
} as const
