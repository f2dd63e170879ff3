// A folder of JSON files for each conversation, in the workspace and in the user's data; archived and trashed ones lie in folders among the others.
import { basename, dirname } from 'node:path'
import { paste } from '../../../model/paste.ts'
import { idValue, words } from '../../../model/program.ts'
import type { Store } from '../../store.ts'
import { displayId, parseFolderName } from '../ids.ts'
import { ACTIVE, ARCHIVED, EVENTS, OLD_MESSAGES, TRASHED, WORKSPACE_FOLDER } from '../names.ts'
import { foldersAbove, userLocalFolder } from '../roots.ts'
import { discover } from './discover.ts'
import { read } from './read.ts'

export const active: Store = {
  name: ACTIVE,
  title: 'folder of JSON files',
  // As JP calls them. A folder without an id is called by its name, and JP loads nothing from it.
  sessionId: /^jp-c\d{1,11}$/,
  traits: {
    framing: 'json-tree',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: true,
    indexBeside: false,
    appendOnly: false,
  },
  // Workspaces are wherever a person works; JP's own folder knows those it was run in, and the folder we were started in may be in another.
  locations: environment =>
    [userLocalFolder(environment), ...foldersAbove(environment, WORKSPACE_FOLDER)].map(path => ({ path, root: path })),
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
    return parsed.type === 'unparseable' ? folder : displayId(parsed.id)
  },
  resume(session, facts) {
    const folder = session.project ?? facts.project
    return { type: 'command', command: 'jp', words: words('query', '--id', idValue(session.sessionId)), folder }
  },
  mendedBy: 'rethread sanitize',
}

/** Found by the discovery of the active ones. */
const amongOthers: Store = { ...active, locations: () => [], adopt: undefined }

export const archived: Store = {
  ...amongOthers,
  name: ARCHIVED,
  title: 'folder of JSON files, archived',
  resume: session => ({
    type: 'unsupported',
    reason: `It is archived. Bring it back first: ${paste('jp conversation unarchive', session.sessionId)}`,
  }),
}

export const trashed: Store = {
  ...amongOthers,
  name: TRASHED,
  title: 'folder of JSON files, in the trash',
  // The name of a folder, which has words of a title in it, in any language.
  sessionId: /^[\p{L}\p{N}+][\p{L}\p{N}\p{M}+._-]{0,254}$/u,
  resume: () => ({
    type: 'unsupported',
    reason: 'JP does not look into its trash. Bring it back first: rethread trash restore',
  }),
  mendedBy: 'rethread trash restore',
}
