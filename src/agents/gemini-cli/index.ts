// Gemini CLI: one log of changes a session below ~/.gemini/tmp, or in its early versions one JSON document.
import { idValue, words } from '../../model/program.ts'
import { idLike, PLAIN_NAME, uuid } from '../../model/session-id.ts'

import type { TokenCounting } from '../../model/usage.ts'
import type { Agent, Store } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { joinIn } from '../environment.ts'
import { discover } from './discover.ts'
import { agentFolder } from './folders.ts'
import { DOCUMENT, isSetAside, JSON_LINES, ownSessionId, parseName, sessionIdOf } from './names.ts'
import { read } from './read.ts'
import { retention } from './retention.ts'

/** The first eight characters where the header is lost; with a suffix where several files hold states of one session. */
const SESSION_ID = idLike(`(?:${uuid}|\\w{8})(?:\\.json|\\.unreadable-\\d{1,16})?`)
/** As the model's interface counts them. */
const TOKENS: TokenCounting = { inputHoldsCache: true, outputLacksReasoning: true }

export const geminiCli: Agent = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  generations: {
    [JSON_LINES]: {
      title: 'log of changes in JSON lines',
      sessionId: SESSION_ID,
      subagentId: PLAIN_NAME,
      traits: {
        framing: 'json-lines',
        linkedByParent: false,
        headerRecord: true,
        toolPairs: true,
        indexBeside: true,
        rewinds: true,
        splitsAtSeparators: true,
        appendOnly: true,
        tokens: TOKENS,
      },
      mend: () => import('./log/repair.ts').then(({ mend }) => mend),
    },
    [DOCUMENT]: {
      title: 'JSON document',
      sessionId: SESSION_ID,
      subagentId: PLAIN_NAME,
      traits: {
        framing: 'json-document',
        linkedByParent: false,
        headerRecord: false,
        toolPairs: true,
        indexBeside: false,
        appendOnly: false,
        tokens: TOKENS,
      },
      mend: () => import('./document/repair.ts').then(module => module.mend),
    },
  },
  // Both generations lie in the same folders, told apart by the names of the files.
  stores: environment => [store(environment, JSON_LINES), store(environment, DOCUMENT)],
  discover,
  read,
  adopt(path, head) {
    const name = parseName(path.split(/[\\/]/).at(-1) ?? '')
    if (name === undefined || !MARKS[name.generation]?.test(head.toString('latin1'))) return undefined
    return { sessionId: sessionIdOf(name, head), generation: name.generation }
  },
  processNames: ['gemini'],
  start: () => ({ command: 'gemini', words: words() }),
  acp: () => ({ name: 'gemini', command: 'gemini', args: ['--acp'], install: '@google/gemini-cli' }),
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
  retention,
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

/** What the beginning of a file outside any store must show; the marks hold even where the first record is lost. */
const MARKS: Record<string, RegExp> = {
  [JSON_LINES]: /"projectHash"|"\$set"|"\$rewindTo"|"type":"gemini"/,
  [DOCUMENT]: /"projectHash"/,
}

function store(environment: Environment, generation: string): Store {
  const path = joinIn(environment, agentFolder(environment), 'tmp')
  return { generation, path, root: path }
}
