// Kiro: four store generations that lie side by side, from the database of its command line to the documents of its editor.
import { basename, dirname } from 'node:path'
import { idValue, words } from '../../model/program.ts'
import { idLike, PLAIN_NAME, UUID, uuid } from '../../model/session-id.ts'
import type { Adopted, Agent, Resume, Store, Traits } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { applicationSupport, dataFolder, inHome, joinIn, localApplicationData, variable } from '../environment.ts'
import type { Mend } from '../repair.ts'
import { discover, WITHOUT_LOG } from './log/discover.ts'
import { read } from './read.ts'

const TRAITS: Traits = {
  framing: 'json-lines',
  linkedByParent: false,
  headerRecord: false,
  toolPairs: true,
  indexBeside: true,
  appendOnly: true,
}

/** The name of the session's folder. */
const V3_ID = idLike(`sess_[\\w-]{1,64}|${uuid}`)

export const kiro: Agent = {
  id: 'kiro',
  title: 'Kiro',
  generations: {
    database: {
      title: 'SQLite with a JSON document a conversation',
      sessionId: PLAIN_NAME,
      traits: { ...TRAITS, framing: 'sqlite', indexBeside: false, appendOnly: false },
      mend: () => import('./database/repair.ts').then(module => module.mend),
    },
    cli: { title: 'JSON lines with a file about them', sessionId: UUID, traits: TRAITS, mend: loadLogMend },
    v3: {
      title: 'a folder with JSON lines',
      sessionId: V3_ID,
      subagentId: PLAIN_NAME,
      traits: TRAITS,
      mend: loadLogMend,
    },
    [WITHOUT_LOG]: {
      title: 'a file about a session whose log is gone',
      sessionId: PLAIN_NAME,
      traits: { ...TRAITS, framing: 'json-document', appendOnly: false },
    },
    ide: {
      title: "the editor's JSON documents",
      sessionId: PLAIN_NAME,
      traits: { ...TRAITS, framing: 'json-document', appendOnly: false },
      mend: () => import('./ide/repair.ts').then(module => module.mend),
    },
  },
  stores: environment => [
    ...databaseFolders(environment).map(root => databaseStore(environment, root)),
    folderStore('cli', joinIn(environment, kiroHome(environment), 'sessions', 'cli')),
    folderStore('v3', joinIn(environment, kiroHome(environment), 'sessions')),
    folderStore('ide', joinIn(environment, applicationSupport(environment), ...EDITOR_STORAGE)),
  ],
  discover,
  read,
  adopt,
  processNames: ['kiro'],
  start: () => ({ command: 'kiro-cli', words: words('chat') }),
  resume(session, facts): Resume {
    switch (session.generation) {
      case 'cli':
      case 'v3':
        if (session.generation === 'v3' && session.subagentOf !== undefined)
          return {
            type: 'unsupported',
            reason: 'A subagent cannot be resumed on its own; resume the session it belongs to.',
          }
        return {
          type: 'command',
          command: 'kiro-cli',
          words: words('chat', '--resume-id', idValue(session.sessionId)),
          folder: facts.project,
        }
      case WITHOUT_LOG:
        return { type: 'unsupported', reason: 'The log with the conversation is gone; only the file about it is left.' }
      case 'database':
        return {
          type: 'unsupported',
          reason:
            'Kiro finds these conversations by their folder and takes the newest there. To continue that one, run in the folder: kiro-cli chat --classic --resume',
        }
      default:
        return {
          type: 'unsupported',
          reason:
            'The Kiro editor has no command for it. Open the project in Kiro and choose the session from its list.',
        }
    }
  },
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

async function loadLogMend(): Promise<Mend> {
  return (await import('./log/repair.ts')).mend
}

const EDITOR_STORAGE = ['Kiro', 'User', 'globalStorage', 'kiro.kiroagent']

function kiroHome(environment: Environment): string {
  return variable(environment, 'KIRO_HOME') ?? inHome(environment, '.kiro')
}

/** Kiro's command line was Amazon Q's before, and took its database along. */
const DATABASE_FOLDERS = ['kiro-cli', 'amazon-q', 'amazonq']

function databaseFolders(environment: Environment): string[] {
  const bases = {
    linux: [dataFolder(environment)],
    darwin: [applicationSupport(environment)],
    win32: [applicationSupport(environment), localApplicationData(environment)],
  }[environment.platform]
  return [
    kiroHome(environment),
    inHome(environment, '.amazonq'),
    ...bases.flatMap(base => DATABASE_FOLDERS.map(name => joinIn(environment, base, name))),
  ]
}

function databaseStore(environment: Environment, root: string): Store {
  return { generation: 'database', path: joinIn(environment, root, 'data.sqlite3'), root }
}

function folderStore(generation: string, path: string): Store {
  return { generation, path, root: path }
}

function adopt(path: string, head: Buffer): Adopted | undefined {
  const text = head.toString('latin1')
  if (path.endsWith('.jsonl')) {
    if (/"kind"\s*:\s*"(?:Prompt|AssistantMessage|ToolResults)"/.test(text))
      return { sessionId: basename(path, '.jsonl'), generation: 'cli' }
    if (basename(path) === 'messages.jsonl' && /"payload"\s*:\s*\{\s*"type"/.test(text))
      return { sessionId: basename(dirname(path)), generation: 'v3' }
  }
  if (path.endsWith('.chat') && /"(?:executionId|actionId)"/.test(text))
    return { sessionId: basename(path, '.chat'), generation: 'ide' }
  if (path.endsWith('.json') && /"workspaceDirectory"|"workspacePath"/.test(text) && text.includes('"history"'))
    return { sessionId: basename(path, '.json'), generation: 'ide' }
  return undefined
}
