// The only way from a session to a command: every resume, printed or started, goes through here.
import { isAbsolute } from 'node:path'
import { hasErrorCode, RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import { idsIn, type Program, program } from '../model/program.ts'
import type { SessionFacts } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import type { Agent } from './agent.ts'
import { hasUsualId, isUsualId, whyUnusual } from './session-ids.ts'
import { storeOf } from './store.ts'

export type ResumeCommand =
  | { type: 'command'; program: Program; folder: string | undefined }
  /** The reason is shown to the person. */
  | { type: 'unsupported'; reason: string }

export function resumeOf(agent: Agent, session: SessionRef, facts: SessionFacts): ResumeCommand {
  if (session.archived !== undefined)
    return {
      type: 'unsupported',
      reason: `${agent.title} no longer has it. Restore it first: ${paste('rethread restore', session.sessionId)}`,
    }
  if (!hasUsualId(agent, session)) return { type: 'unsupported', reason: whyUnusual(agent) }
  const resume = storeOf(agent, session).resume(session, facts)
  if (resume.type === 'unsupported') return resume
  const { command, words, folder } = resume
  // The agent may know the session by another id, which the file holds.
  if (!idsIn(words).every(id => id === session.sessionId || isUsualId(agent, session, id)))
    return { type: 'unsupported', reason: whyUnusual(agent) }
  if (folder !== undefined && !isAbsolute(folder))
    return { type: 'unsupported', reason: 'The folder it names is not an absolute path, so nothing is started there.' }
  try {
    return { type: 'command', program: program(command, words), folder }
  } catch (error) {
    if (!(error instanceof RethreadError) || !hasErrorCode(error, 'unsafe-argument')) throw error
    return { type: 'unsupported', reason: error.message }
  }
}

/** Throws `unsupported` if there is no command. */
export function requireResume(agent: Agent, session: SessionRef, facts: SessionFacts) {
  const resume = resumeOf(agent, session, facts)
  if (resume.type === 'command') return resume
  throw new RethreadError({
    code: 'unsupported',
    text: resume.reason,
    hint: `Read it: ${paste('rethread show', session.sessionId)}`,
    path: session.filePath,
  })
}
