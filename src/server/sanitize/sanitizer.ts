// The sanitizer of a session's agent, and the place where it works. Both come from the disk, never from a
// client.

import type { Preview, SanitizeContext, Sanitizer } from '../../agents/sanitizer.ts'
import { findStore } from '../../agents/store.ts'
import { agentById } from '../../catalog/context.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { paste } from '../../model/paste.ts'
import type { SessionRef } from '../../model/session.ts'
import { MAX_SANITIZED_BYTES } from '../limits.ts'
import type { Services } from '../services.ts'

type Used = Pick<Services, 'context'>

export async function sanitizerOf({ context }: Used, session: SessionRef): Promise<Sanitizer> {
  const { sanitize, title } = agentById(context, session.agent)
  if (sanitize !== undefined) return await sanitize()
  throw new RethreadError({
    code: 'unsupported',
    text: `Conversations of ${title} are not repaired this way.`,
    hint: 'See what a repair would do: GET /api/sessions/KEY/plan',
    path: session.filePath,
  })
}

export function sanitizeContextOf({ context }: Used, session: SessionRef): SanitizeContext {
  return { environment: context.environment, state: context.state, folder: session.storeRoot }
}

export async function previewOf(services: Used, session: SessionRef): Promise<Preview> {
  const sanitizer = await sanitizerOf(services, session)
  // The files are read on the main thread, so their size is limited.
  if (session.fileSize > MAX_SANITIZED_BYTES) throw byCommand(services, session, 'It is too large for the page.')
  const preview = await sanitizer.preview({ ...sanitizeContextOf(services, session), path: session.filePath })
  if (preview.report.conversations > 0) return preview
  throw byCommand(services, session, 'It is not where its agent finds conversations.')
}

function byCommand({ context }: Used, session: SessionRef, why: string): RethreadError {
  const { sessionId, project } = session
  const command = findStore(agentById(context, session.agent), session)?.repairCommand ?? ''
  const goes = project === undefined ? '' : `cd ${quote(project)} && `
  const whole = command === WHOLE_STORE ? command : paste(command, sessionId)
  return new RethreadError({
    code: 'unsupported',
    text: `${why} It cannot be decided on the page.`,
    hint: `Use the command: ${goes}${whole}`,
    path: session.filePath,
  })
}

/** The command for a whole store. */
const WHOLE_STORE = 'rethread sanitize'
