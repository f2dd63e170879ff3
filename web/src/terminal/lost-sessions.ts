// Notifies once about a session that is gone or cannot be loaded. Panes that would resume it drop it.
import { toast } from 'sonner'
import type { SessionStatusMessage } from '../../../src/server/protocol.ts'
import { cleanText } from '../common/clean.ts'
import { outcomes, works } from '../health/work.ts'
import { view } from '../state/view.ts'
import { allPanes, changePane } from './dock.ts'

const SHOWN_MS = 12_000
const TITLES = {
  missing: 'This conversation no longer exists',
  unreadable: 'This conversation cannot be read',
  unrecoverable: 'This conversation cannot be repaired',
} as const
/** Used if the server gives no reason. */
const REASONS = {
  missing: 'A copy may be among the repairs: rethread repairs',
  unreadable: 'See what is wrong: rethread check',
  unrecoverable: 'Its agent would load nothing, and no repair can bring anything back.',
} as const

type Lost = keyof typeof TITLES

export function isLost(status: string): status is Lost {
  return Object.hasOwn(TITLES, status)
}

/** The keys of sessions that were already reported. */
const notified = new Set<string>()

export function notifyLost(key: string, status: Lost, text: string): void {
  if (notified.has(key)) return
  notified.add(key)
  toast.error(TITLES[status], { description: cleanText(text), duration: SHOWN_MS })
}

/** Only for a session that is open or resumed in this page. */
export function publishStatus({ key, status, reason }: SessionStatusMessage): void {
  if (status !== 'missing' && status !== 'unrecoverable') {
    if (status !== 'busy' && status !== 'repairing') notified.delete(key)
    return
  }
  const isResumed = allPanes().some(({ wanted }) => wanted.session === key)
  if (!isResumed && view.get().session !== key) return
  if (!isDecidedHere(key)) notifyLost(key, status, reason ?? REASONS[status])
  forgetSession(key)
}

/** The user has just moved it to the trash. */
function isDecidedHere(key: string): boolean {
  return works.get().has(key) || outcomes.get().get(key)?.type === 'decided'
}

/** Waiting panes keep it: the server answers them itself. */
export function forgetSession(key: string): void {
  for (const { id, wanted, phase } of allPanes()) {
    if (wanted.session !== key || phase.type === 'asking' || phase.type === 'waiting') continue
    const { session: _gone, ...rest } = wanted
    changePane(id, { wanted: rest })
  }
}
