// All sessions, as `findSessions` finds them. Those in files of their own are names and numbers: a reference is made
// only for those that something must be done about.
import type { Agent } from '../agents/agent.ts'
import type { LocatedStore, SessionFiles } from '../agents/store.ts'
import { foundIn } from '../agents/stores/list-folders.ts'
import { COLUMNS, statColumns } from '../disk/files/file-columns.ts'
import { exists } from '../disk/files/read.ts'
import type { Failure } from '../model/errors.ts'
import { failureOf } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'
import { type FoundSessions, findInStore, storesOf } from './find-all.ts'

/** The sessions of one store in one folder. */
export interface FileGroup {
  /** Different for all that are found. */
  key: string
  agent: string
  files: SessionFiles
  /** `COLUMNS` numbers for each name; not numbers for one that has a reference already. */
  identities: Float64Array
  /** The session as it is now; the failure where it cannot be examined. */
  find(place: number): SessionRef | Failure
}

export interface FoundFiles extends FoundSessions {
  groups: FileGroup[]
}

/** `sessions` are those that are in no group. Undefined where two groups are the same folder. */
export async function findFiles(context: Context): Promise<FoundFiles | undefined> {
  const failures: Failure[] = []
  const searches = context.agents.flatMap(agent =>
    storesOf(context, agent, failures).map(located => findInOne(context, agent, located)),
  )
  const found = await Promise.all(searches)
  const groups = found.flatMap(inStore => inStore.groups)
  if (new Set(groups.map(({ files }) => files.folder)).size < groups.length) return undefined
  return {
    groups,
    sessions: found.flatMap(inStore => inStore.sessions),
    failures: [...failures, ...found.flatMap(inStore => inStore.failures)],
  }
}

async function findInOne(context: Context, agent: Agent, located: LocatedStore): Promise<FoundFiles> {
  const { store, location } = located
  if (store.listFiles === undefined) return { ...(await findInStore(context, agent, located)), groups: [] }
  const found: FoundFiles = { groups: [], sessions: [], failures: [] }
  try {
    if (!exists(location.path)) return found
    for (const item of store.listFiles(location)) {
      if (item.type === 'failure') found.failures.push(item.failure)
      else if (item.names.length > 0) addGroup(found, agent, located, item)
    }
  } catch (error) {
    found.failures.push(failureOf(agent.id, error, location.path))
  }
  return found
}

function addGroup(found: FoundFiles, { id }: Agent, { location }: LocatedStore, files: SessionFiles): void {
  const { folder, names, generation, subagentOf = null } = files
  const identities = statColumns(folder, names)
  const find = (place: number): SessionRef | Failure => {
    const item = foundIn(id, location, files, names[place] ?? '')
    return item.type === 'session' ? item.session : item.failure
  }
  for (let place = 0; place < names.length; place++) {
    if (!Number.isNaN(identities[place * COLUMNS])) continue
    const one = find(place)
    if ('filePath' in one) found.sessions.push(one)
    else found.failures.push(one)
  }
  found.groups.push({ key: JSON.stringify([id, generation, folder, subagentOf]), agent: id, files, identities, find })
}
