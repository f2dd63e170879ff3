// Which dialog of the frame is open; one at most.
import { makeStore } from '../state/store.ts'

export type Overlay = 'palette' | 'help' | 'repair-all'

export const overlay = makeStore<Overlay | null>(null)

export function closeOverlay(): void {
  overlay.set(null)
}
