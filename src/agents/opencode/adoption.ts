// A session keeps its project: the id of a repository is the same in every home. Folders are mapped, in the session,
// its project and the answers of the model.
import { basename, dirname, join, relative } from 'node:path'
import type { CanonicalRow } from '../../disk/sqlite/session-rows.ts'
import { RethreadError } from '../../model/errors.ts'
import type { SqlValue } from '../../model/plan.ts'
import type { AdoptionPlaces, StoreAdoption } from '../adoption.ts'
import { databasesIn } from './places.ts'

export const treeAdoption: StoreAdoption = {
  async plan({ session, location, map }): Promise<AdoptionPlaces> {
    const { project: from } = session
    const fields = [['directory'], ['worktree'], ['path', 'cwd'], ['path', 'root']]
    return {
      project: from === undefined ? undefined : { from, to: map(from) },
      pathOf: path => join(location.path, relative(session.storeRoot, path)),
      fieldsOf: () => fields.map(path => ({ path, to: map })),
      changes: [],
      notes: [],
    }
  },
}

/** The columns of each table that hold a folder. */
const FOLDERS: Record<string, readonly string[]> = { session: ['directory'], project: ['worktree'] }

export const databaseAdoption: StoreAdoption = {
  async plan({ session, location, map }): Promise<AdoptionPlaces> {
    const { project: from } = session
    const present = databasesIn(location)
    const target = present.find(path => basename(path) === basename(session.filePath)) ?? present[0]
    if (target === undefined) throw noDatabase(location.path)
    return {
      project: from === undefined ? undefined : { from, to: map(from) },
      pathOf: path => (path === session.filePath ? target : join(dirname(target), relative(session.storeRoot, path))),
      fieldsOf: () => [],
      rowOf(row: CanonicalRow) {
        const set: Record<string, SqlValue> = {}
        for (const column of FOLDERS[row.table] ?? []) {
          const value = row.values[column]
          if (typeof value === 'string') set[column] = map(value)
        }
        return { ...row, values: { ...row.values, ...set } }
      },
      changes: [],
      notes: [],
    }
  },
}

function noDatabase(folder: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `OpenCode has no database in ${folder} yet, so sessions cannot be put into it.`,
    hint: 'Start OpenCode once, so that it makes the database, then try again: opencode session list',
    path: folder,
  })
}
