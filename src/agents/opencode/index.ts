// OpenCode: an SQLite database for all sessions; before version 1.2 a tree of small JSON files.
import { basename } from 'node:path'
import { idValue, words } from '../../model/program.ts'
import type { Agent } from '../agent.ts'
import { discover } from './discover.ts'
import { AGENT, storesOf } from './places.ts'
import { read } from './read.ts'

const SESSION_ID = /^ses_[\w-]{1,64}$/

export const opencode: Agent = {
  id: AGENT,
  title: 'OpenCode',
  generations: {
    database: {
      title: 'SQLite database',
      sessionId: SESSION_ID,
      traits: {
        framing: 'sqlite',
        linkedByParent: false,
        headerRecord: true,
        toolPairs: true,
        indexBeside: false,
        appendOnly: false,
      },
      mend: () => import('./database/repair.ts').then(module => module.mend),
    },
    tree: {
      title: 'tree of JSON files',
      sessionId: SESSION_ID,
      traits: {
        framing: 'json-tree',
        linkedByParent: false,
        headerRecord: true,
        toolPairs: true,
        indexBeside: false,
        appendOnly: false,
      },
      mend: () => import('./tree/repair.ts').then(module => module.mend),
    },
  },
  stores: storesOf,
  discover,
  read,
  adopt(path, head) {
    // A copy of the whole tree can be read by the file of a session; a database does not say which of its sessions is meant.
    if (!/[/\\]session[/\\][^/\\]+[/\\]ses_\w+\.json$/.test(path)) return undefined
    if (!/"(?:projectID|directory)"\s*:/.test(head.toString('latin1'))) return undefined
    return { sessionId: basename(path, '.json'), generation: 'tree' }
  },
  // Versions with a database start a server in the folder of the session, and fail where that is gone.
  resumesAnywhere: session => session.generation === 'tree',
  processNames: ['opencode'],
  start: () => ({ command: 'opencode', words: words() }),
  acp: () => ({ name: 'opencode', command: 'opencode', args: ['acp'], install: 'opencode-ai' }),
  resume(session, facts) {
    if ((session.subagentOf ?? facts.subagentOf) !== undefined)
      return {
        type: 'unsupported',
        reason: 'A subagent takes no prompts; resume the session it belongs to.',
      }
    const folder = facts.project ?? session.project
    return { type: 'command', command: 'opencode', words: words('--session', idValue(session.sessionId)), folder }
  },
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}
