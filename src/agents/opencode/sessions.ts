// What both stores share: the form of session ids, and the resume command.
import { idValue, words } from '../../model/program.ts'
import type { Store } from '../store.ts'

export const PATTERN = /^ses_[\w-]{1,64}$/

export const resume: Store['resume'] = (session, facts) => {
  if ((session.subagentOf ?? facts.subagentOf) !== undefined)
    return {
      type: 'unsupported',
      reason: 'A subagent takes no prompts; resume the session it belongs to.',
    }
  const folder = facts.project ?? session.project
  return { type: 'command', command: 'opencode', words: words('--session', idValue(session.sessionId)), folder }
}
