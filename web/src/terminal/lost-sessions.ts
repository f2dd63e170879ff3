// A session that is gone, or that nothing can be loaded of, is told once; panes that would resume it forget it.
import { toast } from 'sonner'
import type { SessionStatusMessage } from '../../../src/server/protocol.ts'
import { cleanLine, cleanText } from '../common/clean.ts'
import { outcomes, works } from '../health/work.ts'
import { view } from '../state/view.ts'
import { allPanes, changePane } from './dock.ts'

const SHOWN_MS = 12_000
const ID_CHARS = 8
const REASONS = {
  missing: 'The conversation is not there any more.',
  unrecoverable: 'Its agent would load nothing, and no repair can bring anything back.',
} as const

/** By key; once is enough. */
const told = new Set<string>()

export function tellLost(key: string, sessionId: string, text: string): void {
  if (told.has(key)) return
  told.add(key)
  const name = cleanLine(sessionId).slice(0, ID_CHARS)
  toast.error(`Session ${name}… could not be recovered`, { description: cleanText(text), duration: SHOWN_MS })
}

/** Only of the session that is open here, or resumed here. */
export function tellStatus({ key, sessionId, status, reason }: SessionStatusMessage): void {
  if (status !== 'missing' && status !== 'unrecoverable') {
    if (status !== 'busy' && status !== 'repairing') told.delete(key)
    return
  }
  const isResumed = allPanes().some(({ wanted }) => wanted.session === key)
  if (!isResumed && view.get().session !== key) return
  if (!isDecidedHere(key)) tellLost(key, sessionId, reason ?? REASONS[status])
  forgetSession(key)
}

/** Whoever has just put it into the trash knows. */
function isDecidedHere(key: string): boolean {
  return works.get().has(key) || outcomes.get().get(key)?.type === 'decided'
}

/** One that waits is told by the gate itself what becomes of it. */
export function forgetSession(key: string): void {
  for (const { id, wanted, phase } of allPanes()) {
    if (wanted.session !== key || phase.type === 'asking' || phase.type === 'waiting') continue
    const { session: _gone, ...rest } = wanted
    changePane(id, { wanted: rest })
  }
}
