// Claude Code: one file of linked JSON records a session, below ~/.claude/projects.
import { basename } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { idValue, words } from '../../model/program.ts'
import { idLike, PLAIN_NAME, uuid } from '../../model/session-id.ts'
import type { Agent } from '../agent.ts'
import { applicationSupport, joinIn } from '../environment.ts'
import { lazyRead } from '../lazy-read.ts'
import type { Store } from '../store.ts'
import { asText } from '../stores/values.ts'
import { archive } from './archive.ts'
import { COWORK, discover, discoverCowork, listCoworkFiles, listFiles, PROJECTS } from './discover.ts'
import { configFolders, installed } from './folders.ts'
import { findsInAllProjects } from './loader/rules.ts'
import { mcp } from './mcp.ts'
import { retention } from './retention.ts'

const NEWLINE = 0x0a

const read = lazyRead(() => import('./read/index.ts').then(module => module.read))

const projects: Store = {
  name: PROJECTS,
  title: 'linked JSON lines',
  // Older versions store subagents beside the sessions, as agent-<id>.
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
  locations: environment =>
    configFolders(environment).map(folder => {
      const path = joinIn(environment, folder, 'projects')
      return { path, root: path }
    }),
  discover,
  listFiles,
  read,
  parts: () => import('./read/parts.ts').then(module => module.parts),
  skim: () => import('./read/skim.ts').then(module => module.skim),
  projectInHead(head) {
    for (let start = 0, end = head.indexOf(NEWLINE); end !== -1; start = end + 1, end = head.indexOf(NEWLINE, start)) {
      // What a broken line says is known only to the reader.
      const record = parseObject(head.subarray(start, end))
      const project = asText(record?.['cwd'])
      if (record === undefined || project !== undefined) return project
    }
    return undefined
  },
  recognise(path, head) {
    if (!path.endsWith('.jsonl')) return undefined
    if (!/"(?:parentUuid|leafUuid|isSidechain)"/.test(head.toString('latin1'))) return undefined
    return basename(path, '.jsonl')
  },
  resumesAnywhere: environment => findsInAllProjects(installed(environment)?.version),
  resume(session, facts) {
    if (session.subagentOf !== undefined)
      return {
        type: 'unsupported',
        reason: 'A subagent cannot be resumed on its own; resume the session it belongs to.',
      }
    const list = words('--resume', idValue(session.sessionId))
    return { type: 'command', command: 'claude', words: list, folder: facts.project }
  },
  repair: () => import('./repair/index.ts').then(module => module.repair),
  archive,
  listing: () => import('./listing/index.ts').then(module => module.listing),
  adoption: () => import('./adoption.ts').then(module => module.adoption),
}

/** Sessions of the desktop program, each with a configuration folder of its own. */
const cowork: Store = {
  ...projects,
  name: COWORK,
  title: 'linked JSON lines of the desktop program',
  locations(environment) {
    const path = joinIn(environment, applicationSupport(environment), 'Claude', 'local-agent-mode-sessions')
    return [{ path, root: path }]
  },
  discover: discoverCowork,
  listFiles: listCoworkFiles,
  listing: undefined,
  recognise: undefined,
  adoption: undefined,
  resumesAnywhere: undefined,
  resume: () => ({
    type: 'unsupported',
    reason: 'The desktop program runs this session. Open Claude and choose it from the list of tasks.',
  }),
}

export const claudeCode: Agent = {
  id: 'claude-code',
  title: 'Claude Code',
  stores: [projects, cowork],
  processNames: ['claude'],
  start: () => ({ command: 'claude', words: words() }),
  mcp,
  acp: () => ({
    name: 'claude',
    command: 'claude-agent-acp',
    args: [],
    install: '@agentclientprotocol/claude-agent-acp',
    login: 'claude /login',
  }),
  retention,
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}
