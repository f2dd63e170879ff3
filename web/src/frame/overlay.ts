// Which dialog of the frame is open; one at most.
import { makeStore } from '../state/store.ts'

export type Overlay = 'palette' | 'help' | 'repair-all' | 'new-conversation'

export const overlay = makeStore<Overlay | null>(null)

export function closeOverlay(): void {
  overlay.set(null)
}

/** By its name in the header, the palette and the help. */
export const NEW_CONVERSATION = 'New conversation'
