// Which chats `cursor-agent ls` shows in a folder: those in the folder that is named by the MD5 of its path.
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { fieldNames } from '../../../bytes/skim.ts'
import { exists, readOptionalFile } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import {
  type FolderMove,
  type Inspection,
  type ListedPlace,
  type ListingPlan,
  movedPath,
  type StoreListing,
  UNLISTED,
} from '../../listing.ts'
import { fieldIn, pathEdit } from '../../stores/path-fields.ts'

const CWD = [fieldNames('cwd')]

export const listing: StoreListing = {
  async inspect({ sessions }: ListedPlace): Promise<Inspection> {
    const known = sessions.flatMap(session => {
      const folder = ownFolder(session)
      return folder === undefined ? [] : [[session, { folder }] as const]
    })
    return { states: new Map(known), problems: [], stale: [] }
  },
  async planMove({ sessions }: ListedPlace, move: FolderMove): Promise<ListingPlan> {
    const plan: Required<ListingPlan> = { changes: [], whenClosed: [], notes: [] }
    for (const [project, chats] of Map.groupBy(sessions, ({ filePath }) => dirname(dirname(filePath)))) {
      const to = chats.flatMap(chat => movedPath(ownFolder(chat) ?? '', move) ?? [])[0]
      if (to === undefined) continue
      const target = join(dirname(project), md5(to))
      if (exists(target)) {
        plan.notes.push(`Cursor has chats in ${to} already, so those of ${move.from} stay where they are.`)
        continue
      }
      for (const { filePath, storeRoot } of chats) {
        const file = join(dirname(filePath), 'meta.json')
        const bytes = exists(file) ? readOptionalFile(file, storeRoot) : undefined
        const found = bytes === undefined ? undefined : fieldIn(bytes, CWD)
        const moved = typeof found?.value === 'string' ? movedPath(found.value, move) : undefined
        if (found !== undefined && moved !== undefined)
          plan.changes.push({
            type: 'patch',
            file,
            edits: [pathEdit(found.start, found.end, found.bytes, moved, move)],
          })
      }
      plan.changes.push({ type: 'move', file: project, to: target, damage: UNLISTED, reason: `Name it for ${to}` })
    }
    return plan
  },
}

/** Undefined where the folder's name is not that of the path, so that nothing is known of it. */
function ownFolder({ filePath, project }: SessionRef): string | undefined {
  return project !== undefined && md5(project) === basename(dirname(dirname(filePath))) ? project : undefined
}

function md5(path: string): string {
  return createHash('md5').update(path).digest('hex')
}
