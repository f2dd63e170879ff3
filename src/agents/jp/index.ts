// JP: a folder of JSON files for each conversation, in the workspace and in the user's data. What is wrong with one is repaired by a command of its own.

import { basename, dirname } from 'node:path'
import { paste } from '../../model/paste.ts'
import { idValue, words } from '../../model/program.ts'
import type { Agent, Generation, Store } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { assertCanReturn } from './can-return.ts'
import { hold } from './hold.ts'
import { displayId, parseFolderName } from './ids.ts'
import { ACTIVE, AGENT, ARCHIVED, EVENTS, OLD_MESSAGES, TRASHED, WORKSPACE_FOLDER } from './names.ts'
import { mendAgain } from './receipt-place.ts'
import { foldersAbove, userLocalFolder } from './roots.ts'
import { discover } from './store/discover.ts'
import { read } from './store/read.ts'

const TRAITS: Generation['traits'] = {
  framing: 'json-tree',
  linkedByParent: false,
  headerRecord: false,
  toolPairs: true,
  indexBeside: false,
  appendOnly: false,
}

/** As JP calls them. A folder without an id is called by its name, and JP loads nothing from it. */
const SESSION_ID = /^jp-c\d{1,11}$/
/** The name of a folder, which has words of a title in it, in any language. */
const TRASHED_NAME = /^[\p{L}\p{N}+][\p{L}\p{N}\p{M}+._-]{0,254}$/u

export const jp: Agent = {
  id: AGENT,
  title: 'JP',
  generations: {
    [ACTIVE]: {
      title: 'folder of JSON files',
      sessionId: SESSION_ID,
      traits: TRAITS,
      mendedBy: 'rethread sanitize',
    },
    [ARCHIVED]: {
      title: 'folder of JSON files, archived',
      sessionId: SESSION_ID,
      traits: TRAITS,
      mendedBy: 'rethread sanitize',
    },
    [TRASHED]: {
      title: 'folder of JSON files, in the trash',
      sessionId: TRASHED_NAME,
      traits: TRAITS,
      mendedBy: 'rethread trash restore',
    },
  },
  stores,
  discover,
  read,
  adopt(path, head) {
    const name = basename(path)
    const text = head.toString('latin1')
    if (!/^\s*\[\s*\{/.test(text) || !/"timestamp"\s*:/.test(text)) return undefined
    const isOurs = name === EVENTS ? /"type"\s*:/.test(text) : name === OLD_MESSAGES && /"reply"\s*:/.test(text)
    if (!isOurs) return undefined
    const folder = basename(dirname(path))
    const parsed = parseFolderName(folder)
    return { sessionId: parsed.type === 'unparseable' ? folder : displayId(parsed.id), generation: ACTIVE }
  },
  processNames: ['jp'],
  start: () => ({ command: 'jp', words: words('query', '--new') }),
  resume(session, facts) {
    switch (session.generation) {
      case TRASHED:
        return {
          type: 'unsupported',
          reason: 'JP does not look into its trash. Bring it back first: rethread trash restore',
        }
      case ARCHIVED:
        return {
          type: 'unsupported',
          reason: `It is archived. Bring it back first: ${paste('jp conversation unarchive', session.sessionId)}`,
        }
      default: {
        const folder = session.project ?? facts.project
        return { type: 'command', command: 'jp', words: words('query', '--id', idValue(session.sessionId)), folder }
      }
    }
  },
  hold,
  assertCanReturn,
  mendAgain,
  sanitize: () => import('./sanitize/index.ts').then(({ sanitizer }) => sanitizer),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

/** Workspaces are wherever a person works; JP's own folder knows those it was run in, and the folder we were started in may be in another. */
function stores(environment: Environment): Store[] {
  const path = userLocalFolder(environment)
  return [
    { generation: ACTIVE, path, root: path },
    ...foldersAbove(environment, WORKSPACE_FOLDER).map(own => ({ generation: ACTIVE, path: own, root: own })),
  ]
}
