// Whether a repair was interrupted. A file of its own, because
// the vault takes longer to load than the answer.
import { join } from 'node:path'
import { listFolder } from '../files/read.ts'

/** The folder of markers in the state folder: one for each repair that has begun and not ended. */
export const UNFINISHED_FOLDER = 'unfinished'

export function hasUnfinished(state: string): boolean {
  return listFolder(join(state, UNFINISHED_FOLDER)).length > 0
}
