// The stores of JP: a folder of JSON files for each conversation, in the workspace and in the user's data.
// Archived and trashed conversations are in subfolders.
import { basename, dirname } from 'node:path'
import { paste } from '../../../model/paste.ts'
import { idValue, words } from '../../../model/program.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { archive } from '../archive.ts'
import { displayId, parseFolderName } from '../ids.ts'
import { ACTIVE, ARCHIVED, EVENTS, OLD_MESSAGES, TRASHED, WORKSPACE_FOLDER } from '../names.ts'
import { foldersAbove, userLocalFolder } from '../roots.ts'
import { discover } from './discover.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))

export const active: Store = {
  name: ACTIVE,
  title: 'folder of JSON files',
  // The ids of JP. A folder without an id is known by its name, and JP loads nothing from it.
  sessionId: /^jp-c\d{1,11}$/,
  traits: {
    framing: 'json-tree',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  // JP's data folder lists the workspaces in which JP has run. The working folder may be in another
  // workspace.
  locations: environment =>
    [userLocalFolder(environment), ...foldersAbove(environment, WORKSPACE_FOLDER)].map(path => ({ path, root: path })),
  discover,
  read,
  parts: () => import('./parts.ts').then(module => module.parts),
  recognise(path, head) {
    const name = basename(path)
    const text = head.toString('latin1')
    if (!/^\s*\[\s*\{/.test(text) || !/"timestamp"\s*:/.test(text)) return undefined
    const isOurs = name === EVENTS ? /"type"\s*:/.test(text) : name === OLD_MESSAGES && /"reply"\s*:/.test(text)
    if (!isOurs) return undefined
    const folder = basename(dirname(path))
    const parsed = parseFolderName(folder)
    return parsed.type === 'unparseable' ? folder : displayId(parsed.id)
  },
  resume(session, facts) {
    const folder = session.project ?? facts.project
    return { type: 'command', command: 'jp', words: words('query', '--id', idValue(session.sessionId)), folder }
  },
  archive,
  repairCommand: 'rethread sanitize',
}

/** The discovery of the active store finds these too. */
const amongOthers: Store = { ...active, locations: () => [], recognise: undefined }

export const archived: Store = {
  ...amongOthers,
  name: ARCHIVED,
  title: 'folder of JSON files, archived',
  resume: session => ({
    type: 'unsupported',
    reason: `It is archived. Unarchive it first: ${paste('jp conversation unarchive', session.sessionId)}`,
  }),
}

export const trashed: Store = {
  ...amongOthers,
  name: TRASHED,
  title: 'folder of JSON files, in the trash',
  // The name of a folder, which can contain words in any language.
  sessionId: /^[\p{L}\p{N}+][\p{L}\p{N}\p{M}+._-]{0,254}$/u,
  resume: () => ({
    type: 'unsupported',
    reason: 'JP does not read its trash. Restore it first: rethread trash restore',
  }),
  repairCommand: 'rethread trash restore',
}
