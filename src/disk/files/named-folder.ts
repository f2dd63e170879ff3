// A folder that a user or a client names to work in. It must exist, be a folder, and be accessible. Each
// problem has its own error and hint.
import { accessSync, constants, mkdirSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { type ErrorCode, RethreadError } from '../../model/errors.ts'
import { quote } from '../../model/paste.ts'
import { isSafeValue } from '../../model/program.ts'
import { statIfThere } from './handles.ts'
import { fromSystemError, fromWriteError } from './system-errors.ts'

/** Whether a program can be started there. `requireFolder` throws the reason why not. */
export function canWorkIn(folder: string): boolean {
  try {
    requireFolder(folder)
    return true
  } catch (error) {
    if (error instanceof RethreadError) return false
    throw error
  }
}

/**
 * Throws `usage` for an invalid path, `not-found` where it is missing, `permission-denied` where it may not
 * be entered.
 */
export function requireFolder(folder: string): void {
  if (!isAbsolute(folder))
    throw refuse(
      'usage',
      folder,
      `${folder} is not an absolute path.`,
      'Use an absolute path, such as /home/me/project',
    )
  const stats = statIfThere(folder, 'stat')
  if (stats === undefined) throw missing(folder)
  if (!stats.isDirectory()) throw notFolder(folder, folder)
  try {
    accessSync(folder, constants.X_OK)
  } catch (error) {
    throw fromSystemError(error, folder)
  }
}

/** The hint to create it is given only where nothing is in the way. */
function missing(folder: string): RethreadError {
  for (let at = folder; ; at = dirname(at)) {
    const stats = statIfThere(at)
    if (stats === undefined && at !== dirname(at)) continue
    if (stats?.isSymbolicLink() === true && statIfThere(at, 'stat') === undefined)
      return refuse(
        'usage',
        folder,
        `${at} is a link to something that does not exist.`,
        `See where it leads: ls -l ${quote(at)}`,
      )
    if (statIfThere(at, 'stat')?.isDirectory() !== true) return notFolder(folder, at)
    return refuse('not-found', folder, `The folder ${folder} does not exist.`, `Create it: mkdir -p ${quote(folder)}`)
  }
}

/** `at` is the part of the path that is not a folder. */
function notFolder(folder: string, at: string): RethreadError {
  return refuse(
    'usage',
    folder,
    `${at} is not a folder.`,
    `Choose a folder, such as the one that contains it: ${quote(dirname(at))}`,
  )
}

function refuse(code: ErrorCode, path: string, text: string, hint: string): RethreadError {
  return new RethreadError({ code, text, hint, path })
}

/**
 * Creates the folder of a project again, at a user's request, with the folders above it. An existing folder
 * is not changed.
 */
export function makeProjectFolder(path: string): void {
  if (!isAbsolute(path) || !isSafeValue('path', path))
    throw new RethreadError({
      code: 'unsafe-argument',
      text: 'The folder is not an absolute path that could be created.',
      hint: 'Create the intended folder yourself, and start the agent there.',
    })
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    throw fromWriteError(error, path)
  }
}
