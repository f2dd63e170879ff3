// workspaceStorage/<hash>: the open folder of an editor window, and its conversations. Optional information.
import { join } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { exists, readOptionalFile } from '../../../disk/files/read.ts'
import type { Database } from '../../../disk/sqlite/read-database.ts'
import { readDatabase } from '../../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../../model/errors.ts'
import type { Environment } from '../../environment.ts'
import type { DiscoverOptions } from '../../store.ts'
import { listInside } from '../../stores/list-folders.ts'
import { asObject, asText } from '../../stores/values.ts'
import { AGENT, pathOfUri, workspaceStorage } from '../places.ts'

export interface Workspace {
  path: string
  /** The folder that was open. */
  folder: string
}

export interface Workspaces {
  root: string
  workspaces: Workspace[]
}

const MAX_BYTES = 1024 * 1024

export function workspaceFolders(environment: Environment): Workspaces {
  const root = workspaceStorage(environment)
  const { folders } = listInside(AGENT, { path: root, root }, root)
  const workspaces: Workspace[] = []
  for (const { path } of folders) {
    try {
      const folder = folderOfWindow(path, root)
      if (folder !== undefined) workspaces.push({ path, folder })
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
    }
  }
  return { root, workspaces }
}

/** The folder that was open in a window. */
export function folderOfWindow(path: string, root: string): string | undefined {
  const bytes = readOptionalFile(join(path, 'workspace.json'), root, MAX_BYTES)
  const uri = bytes === undefined ? undefined : asText(asObject(parseJson(bytes))?.['folder'])
  return pathOfUri(uri)
}

/**
 * The folders of conversations that do not name their own. The conversations in the windows' databases are a
 * store of their own, which reports those that cannot be read.
 */
export async function workspacePointers(options: DiscoverOptions): Promise<Map<string, string>> {
  const { root, workspaces } = workspaceFolders(options.environment)
  const folderOf = new Map<string, string>()
  for (const { path, folder } of workspaces) {
    const state = join(path, 'state.vscdb')
    try {
      if (!exists(state)) continue
      const ids = await readDatabase(state, root, readPointers, options)
      for (const id of ids) folderOf.set(id, folder)
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
    }
  }
  return folderOf
}

/** One named key: the table also holds data of extensions. */
const POINTERS = `
  SELECT CASE WHEN shown.type = 'object' THEN json_extract(shown.value, '$.composerId') END AS id
  FROM (SELECT CAST(value AS TEXT) AS text FROM ItemTable WHERE key = 'composer.composerData') AS pointers,
    json_each(CASE WHEN json_valid(text) THEN text ELSE '{}' END, '$.allComposers') AS shown`

function readPointers(database: Database): string[] {
  const columns = database.columns('ItemTable')
  if (!columns.has('key') || !columns.has('value')) return []
  return database.all(POINTERS).flatMap(row => asText(row['id']) ?? [])
}
