// Which files rethread itself has changed, and when. A row that keeps its length and time, or a rebuilt
// database, shows no change from outside.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { identityOf, listFolder } from '../files/read.ts'
import { makeFolder, replaceOwnFile } from '../state/own-files.ts'

const FOLDER = 'altered'

/**
 * Called after every repair and every undo, however it ended. Best effort: a full disk must not undo a
 * finished repair.
 */
export function recordChangedFile(state: string, path: string, receipt: string): void {
  try {
    makeFolder(join(state, FOLDER))
    replaceOwnFile(join(state, FOLDER, nameOf(path)), receipt)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
  }
}

/**
 * Returns a function that gives the mark of a file, which differs after each change; undefined for a file
 * that rethread never changed.
 */
export function readChangedFiles(state: string): (path: string) => string | undefined {
  const folder = join(state, FOLDER)
  const marks = new Map(
    listFolder(folder).flatMap(({ name, path }) => {
      const stats = statIfThere(path)
      return stats === undefined ? [] : [[name, identityOf(stats).mark] as const]
    }),
  )
  return path => (marks.size === 0 ? undefined : marks.get(nameOf(path)))
}

function nameOf(path: string): string {
  return createHash('sha256').update(path).digest('hex')
}
