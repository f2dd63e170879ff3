// Every regular file below a folder, for sessions that have a folder of their own. Links are not followed.
import { listFolder } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'

const MAX_DEPTH = 6
/** A folder with more files does not belong to one session. */
const MAX_FILES = 5000

/** A folder that is missing or may not be read has none: the session itself can still be archived. */
export function filesBelow(folder: string, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  const files: string[] = []
  for (const entry of entriesOf(folder)) {
    if (files.length >= MAX_FILES) break
    if (entry.isFolder) files.push(...filesBelow(entry.path, depth + 1))
    else if (!entry.isLink) files.push(entry.path)
  }
  return files
}

function entriesOf(folder: string) {
  try {
    return listFolder(folder)
  } catch (error) {
    if (error instanceof RethreadError && ['permission-denied', 'not-found', 'not-a-regular-file'].includes(error.code))
      return []
    throw error
  }
}
