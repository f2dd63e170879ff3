// Creates the folder of a project again, at a user's request. An existing folder is not changed.
import { mkdirSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { isSafeValue } from '../../model/program.ts'
import { fromWriteError } from './system-errors.ts'

/** Also creates the folders above it. */
export function makeProjectFolder(path: string): void {
  if (!isAbsolute(path) || !isSafeValue('path', path))
    throw new RethreadError({
      code: 'unsafe-argument',
      text: 'The folder is not an absolute path that could be created.',
      hint: 'Create the folder that is meant by hand, and start the agent there.',
    })
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    throw fromWriteError(error, path)
  }
}
