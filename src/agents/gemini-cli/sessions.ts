// What the sessions of both stores have in common: their ids, their tokens, where they lie, and how they are known and resumed.
import { idValue, words } from '../../model/program.ts'
import { idLike, PLAIN_NAME, uuid } from '../../model/session-id.ts'
import type { TokenCounting } from '../../model/usage.ts'
import { joinIn } from '../environment.ts'
import type { Store } from '../store.ts'
import { agentFolder } from './folders.ts'
import { isSetAside, ownSessionId, parseName, sessionIdOf } from './names.ts'

/** As the model's interface counts them. */
export const TOKENS: TokenCounting = { inputHoldsCache: true, outputLacksReasoning: true }

/** Both stores lie in the same folders, told apart by the names of the files. */
export const shared = {
  /** The first eight characters where the header is lost; with a suffix where several files hold states of one session. */
  sessionId: idLike(`(?:${uuid}|\\w{8})(?:\\.json|\\.unreadable-\\d{1,16})?`),
  subagentId: PLAIN_NAME,
  locations(environment) {
    const path = joinIn(environment, agentFolder(environment), 'tmp')
    return [{ path, root: path }]
  },
  resume(session, facts) {
    if (session.subagentOf !== undefined)
      return {
        type: 'unsupported',
        reason: 'A subagent cannot be resumed on its own; resume the session it belongs to.',
      }
    if (isSetAside(session.sessionId))
      return {
        type: 'unsupported',
        reason: 'Gemini CLI set this file aside because it could not read it, and no longer uses it.',
      }
    const id = facts.sessionId ?? ownSessionId(session.sessionId)
    const folder = facts.project ?? session.project
    return { type: 'command', command: 'gemini', words: words('--resume', idValue(id)), folder }
  },
} satisfies Partial<Store>

/** `mark` is what the beginning of a file outside the store must show; it holds even where the first record is lost. */
export function adoptFile(generation: string, mark: RegExp, path: string, head: Buffer): string | undefined {
  const name = parseName(path.split(/[\\/]/).at(-1) ?? '')
  if (name?.generation !== generation || !mark.test(head.toString('latin1'))) return undefined
  return sessionIdOf(name, head)
}
