// Which dialog of the frame is open; one at most.
import { makeStore } from '../state/store.ts'

export type Overlay = 'palette' | 'help' | 'repair-all' | 'new-conversation'

export const overlay = makeStore<Overlay | null>(null)

export function closeOverlay(): void {
  overlay.set(null)
}

/** By its name in the header, the palette and the help. */
export const NEW_CONVERSATION = 'New conversation'

/** What is done with the open conversation, or with the row that the keyboard is at. */
export const ON_SESSION = {
  resume: 'Resume the conversation',
  repair: 'Repair the conversation',
  undo: 'Undo the last repair',
} as const
