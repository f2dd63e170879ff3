// Claude Code: one file of linked JSON records a session, below ~/.claude/projects.
import { basename } from 'node:path'
import { idValue, words } from '../../model/program.ts'
import { idLike, PLAIN_NAME, uuid } from '../../model/session-id.ts'
import type { Agent, Store } from '../agent.ts'
import { joinIn } from '../environment.ts'
import { discover } from './discover.ts'
import { configFolders, installed } from './folders.ts'
import { findsInAllProjects } from './loader/rules.ts'
import { read } from './read/index.ts'
import { retention } from './retention.ts'

export const claudeCode: Agent = {
  id: 'claude-code',
  title: 'Claude Code',
  generations: {
    projects: {
      title: 'linked JSON lines',
      // Sub-agents of older versions lie beside the sessions, as agent-<id>.
      sessionId: idLike(`${uuid}|agent-[\\w.@-]{1,100}`),
      subagentId: PLAIN_NAME,
      traits: {
        framing: 'json-lines',
        linkedByParent: true,
        headerRecord: false,
        toolPairs: true,
        indexBeside: true,
        appendOnly: true,
      },
      mend: () => import('./repair/index.ts').then(({ mend }) => mend),
    },
  },
  stores: environment => configFolders(environment).map(folder => store(joinIn(environment, folder, 'projects'))),
  discover: at => discover(at),
  read,
  adopt(path, head) {
    if (!path.endsWith('.jsonl')) return undefined
    if (!/"(?:parentUuid|leafUuid|isSidechain)"/.test(head.toString('latin1'))) return undefined
    return { sessionId: basename(path, '.jsonl'), generation: 'projects' }
  },
  resumesAnywhere: (_, environment) => findsInAllProjects(installed(environment)?.version),
  processNames: ['claude'],
  start: () => ({ command: 'claude', words: words() }),
  acp: () => ({
    name: 'claude',
    command: 'claude-agent-acp',
    args: [],
    install: '@agentclientprotocol/claude-agent-acp',
  }),
  resume(session, facts) {
    if (session.subagentOf !== undefined)
      return {
        type: 'unsupported',
        reason: 'A subagent cannot be resumed on its own; resume the session it belongs to.',
      }
    const list = words('--resume', idValue(session.sessionId))
    return { type: 'command', command: 'claude', words: list, folder: facts.project }
  },
  retention,
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

function store(path: string): Store {
  return { generation: 'projects', path, root: path }
}
