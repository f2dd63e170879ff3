// What both stores share: session ids, token counts, locations, recognition and resume.

import { idValue, words } from '../../model/program.ts'
import { idLike, PLAIN_NAME, uuid } from '../../model/session-id.ts'
import type { TokenCounting } from '../../model/usage.ts'
import { type Environment, inHome, joinIn, variable } from '../environment.ts'
import type { Store } from '../store.ts'
import { isSetAside, ownSessionId, parseName, sessionIdOf } from './names.ts'

/** As the Gemini API counts them. */
export const TOKENS: TokenCounting = { inputHoldsCache: true, outputLacksReasoning: true }

/** Both stores are in the same folders. The names of the files tell them apart. */
export const shared = {
  /**
   * The first eight characters of the id if the header is lost. A suffix if several files hold states of one
   * session.
   */
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
    const id = ownSessionId(facts.sessionId ?? session.sessionId)
    const folder = facts.project ?? session.project
    return { type: 'command', command: 'gemini', words: words('--resume', idValue(id)), folder }
  },
} satisfies Partial<Store>

/** `mark` must match the start of a file outside the store. It matches even if the first record is lost. */
export function recogniseFile(generation: string, mark: RegExp, path: string, head: Buffer): string | undefined {
  const name = parseName(path.split(/[\\/]/).at(-1) ?? '')
  if (name?.generation !== generation || !mark.test(head.toString('latin1'))) return undefined
  return sessionIdOf(name, head)
}

export function agentFolder(environment: Environment): string {
  const home = variable(environment, 'GEMINI_CLI_HOME')
  return home === undefined ? inHome(environment, '.gemini') : joinIn(environment, home, '.gemini')
}
