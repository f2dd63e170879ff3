// Which sessions `kiro-cli chat --resume` offers in a folder: those whose metadata names it.
import { fieldNames } from '../../../bytes/skim.ts'
import { exists, readOptionalFile } from '../../../disk/files/read.ts'
import type { SessionRef } from '../../../model/session.ts'
import { type FolderMove, type ListedPlace, type ListingPlan, movedPath, type StoreListing } from '../../listing.ts'
import { type FieldValue, fieldIn, pathEdit } from '../../stores/path-fields.ts'
import { metadataPath } from './read.ts'

const CWD = [fieldNames('cwd')]
const MAX_BYTES = 64 * 1024 * 1024

export const listing: StoreListing = {
  async inspect({ sessions }) {
    const states = sessions.flatMap(session => {
      const folder = folderIn(session)?.value
      return session.subagentOf === undefined && typeof folder === 'string' ? [[session, { folder }] as const] : []
    })
    return { states: new Map(states), problems: [], stale: [] }
  },
  async planMove({ sessions }: ListedPlace, move: FolderMove): Promise<ListingPlan> {
    const changes = sessions.flatMap(session => {
      const found = folderIn(session)
      const moved = typeof found?.value === 'string' ? movedPath(found.value, move) : undefined
      if (found === undefined || moved === undefined) return []
      const edits = [pathEdit(found.start, found.end, found.bytes, moved, move)]
      return [{ type: 'patch' as const, file: metadataPath(session.filePath), edits }]
    })
    return { changes, notes: [] }
  },
}

function folderIn({ filePath, storeRoot }: SessionRef): FieldValue | undefined {
  const file = metadataPath(filePath)
  const bytes = file.endsWith('.json') && exists(file) ? readOptionalFile(file, storeRoot, MAX_BYTES) : undefined
  return bytes === undefined ? undefined : fieldIn(bytes, CWD)
}
