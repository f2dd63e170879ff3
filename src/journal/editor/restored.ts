// Telling an editor how a conversation came back, and what that may have cost.
import { fields } from '../envelope.ts'
import { readNote } from '../store/notes.ts'
import type { JournalEvent } from '../store/store.ts'
import { thought, updateLine } from './history.ts'

export interface RestoredFacts {
  rung: string
  text: string
  lost: string | undefined
}

export function restoredFacts({ kind, envelope }: JournalEvent): RestoredFacts | undefined {
  if (kind !== '_rethread/restored') return undefined
  const note = readNote('_rethread/restored', envelope)
  return note === undefined ? undefined : { rung: note.rung, text: note.text, lost: note.lost }
}

/** As a notice where the editor takes them; else beside the answer, for it must not go unseen. */
export function restoredLine(sessionId: string, { text, lost }: RestoredFacts, initialize: unknown): Buffer {
  const session = fields(fields(fields(initialize)['clientCapabilities'])['session'])
  const said = lost === undefined ? text : `${text} ${lost}`
  if (session['notices'] === undefined || session['notices'] === null)
    return updateLine(sessionId, thought(`[rethread] The conversation was restored. ${said}\n`))
  const severity = lost === undefined ? 'info' : 'warning'
  return updateLine(sessionId, {
    sessionUpdate: 'notice',
    severity,
    title: 'The conversation was restored.',
    description: said,
  })
}
