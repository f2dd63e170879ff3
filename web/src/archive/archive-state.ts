// What the page asks about the archive: the open dialogs, and the wish to see the restore points.
import { layoutNow } from '../common/use-layout.ts'
import { healthShown } from '../frame/health-shown.ts'
import { makeStore } from '../state/store.ts'
import { showPane } from '../state/view.ts'

/** Without a version, the last state of a deleted session. */
export const restoreAsked = makeStore<{ key: string; version: number | undefined } | null>(null)

/** Two restore points of a session. Without `from`, the one before `to`. */
export const differenceAsked = makeStore<{ key: string; from: number | undefined; to: number } | null>(null)

/** The restore points should get the focus. The section clears it. */
export const timelineWanted = makeStore(false)

export function showTimeline(): void {
  timelineWanted.set(true)
  if (layoutNow() === 'wide') healthShown.set(true)
  else showPane('health')
}
