// Sessions that are restored from the archive, of every store that a repair may write.

import { findArchived } from '../../src/archive/archived-sessions.ts'
import { archiveOne } from '../../src/catalog/archive.ts'
import { findSessions } from '../../src/catalog/find-all.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { type RestoreOptions, restoreSession } from '../../src/repair/restore-archived/index.ts'
import { type MadeHome, makeHome, repairableKinds } from './damaged.ts'
import { quickHome } from './faults.ts'

export const KINDS = await repairableKinds()

export async function prepare(agent: string, store: string): Promise<MadeHome> {
  const kind = KINDS.find(each => each.agent === agent && each.store === store)
  if (kind === undefined) throw new Error('There is no such store.')
  return await makeHome(quickHome(), kind, 1)
}

export async function restore({ context }: MadeHome, session: SessionRef, options: Partial<RestoreOptions> = {}) {
  return await restoreSession(context, session, {
    keepPresent: present => archiveOne(context, present),
    force: true,
    ...options,
  })
}

export async function deletedSession({ context }: MadeHome): Promise<SessionRef> {
  const [only] = await findArchived(context, (await findSessions(context)).sessions)
  if (only === undefined) throw new Error('No session is only in the archive.')
  return only
}
