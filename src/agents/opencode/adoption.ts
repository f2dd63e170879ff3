// A session keeps its project: the id of a repository is the same in every home. Folders are mapped, in the
// session, its project and the answers of the model.
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

export const databaseAdoption: StoreAdoption = {
  async plan({ session, location, map }): Promise<AdoptionPlaces> {
    const { project: from } = session
    const present = databasesIn(location)
    const target = present.find(path => basename(path) === basename(session.filePath)) ?? present[0]
    if (target === undefined) throw noDatabase(location.path)
    /** Of the projects in this home. Their rows come before those of sessions. */
    const worktrees = new Map<string, string>()
    return {
      project: from === undefined ? undefined : { from, to: map(from) },
      pathOf: path => (path === session.filePath ? target : join(dirname(target), relative(session.storeRoot, path))),
      fieldsOf: () => [],
      rowOf(row: CanonicalRow) {
        const { id, worktree, directory, project_id: project, path } = row.values
        if (row.table === 'project' && typeof worktree === 'string') {
          worktrees.set(String(id), map(worktree))
          return { ...row, values: { ...row.values, worktree: map(worktree) } }
        }
        if (row.table !== 'session' || typeof directory !== 'string') return row
        const values: Record<string, SqlValue> = { ...row.values, directory: map(directory) }
        // The path below the project's own folder, by which sessions outside of repositories are listed.
        if (typeof path === 'string') values['path'] = relative(worktrees.get(String(project)) ?? '/', map(directory))
        return { ...row, values }
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
