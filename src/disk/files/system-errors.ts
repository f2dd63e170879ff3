// Turns operating system errors into errors of rethread. They are always thrown; none of them makes a result
// partial.

import { dirname } from 'node:path'
import type { ErrorCode } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { quote } from '../../model/paste.ts'

export { quote }

interface Wording {
  code: ErrorCode
  text: (path: string) => string
  hint: (path: string) => string
}

const WORDINGS: Record<string, Wording> = {
  ENOENT: {
    code: 'not-found',
    text: path => `${path} does not exist.`,
    hint: () => 'See what is there: rethread list',
  },
  EACCES: {
    code: 'permission-denied',
    text: path => `No permission to read ${path}.`,
    hint: path => `See who may: ls -ld ${quote(path)}`,
  },
  EISDIR: {
    code: 'is-a-directory',
    text: path => `${path} is a directory where a file was expected.`,
    hint: path => `See what is in it: ls -la ${quote(path)}`,
  },
  ENOTDIR: {
    code: 'not-found',
    text: path => `A part of ${path} is a file where a directory was expected.`,
    hint: path => `See it: ls -ld ${quote(path)}`,
  },
  ELOOP: {
    code: 'not-a-regular-file',
    text: path => `${path} is a link that points back to itself.`,
    hint: path => `See it: ls -l ${quote(path)}`,
  },
  ENAMETOOLONG: {
    code: 'usage',
    text: path => `The path ${path.slice(0, SHOWN_CHARS)}… is too long for a file name.`,
    hint: () => 'Use a shorter path.',
  },
  ERR_INVALID_ARG_VALUE: {
    code: 'usage',
    text: path => `The path ${shown(path)} contains a NUL character, which no file name can have.`,
    hint: () => 'Use a path without that character.',
  },
  EMFILE: {
    code: 'too-many-open-files',
    text: path => `Too many files are open; ${path} could not be opened.`,
    hint: () => 'Allow more and try again: ulimit -n 4096',
  },
  ENOSPC: {
    code: 'no-space',
    text: path => `The disk that holds ${path} is full.`,
    // The folder: a file that did not fit may be gone again.
    hint: path => `See how full it is: df -h ${quote(dirname(path))}`,
  },
}
/** The part of an overlong path that is shown. */
const SHOWN_CHARS = 100
const ALIASES: Record<string, string> = { EPERM: 'EACCES', ENFILE: 'EMFILE', EDQUOT: 'ENOSPC' }

export function fromSystemError(error: unknown, path: string, offset?: number): RethreadError {
  if (error instanceof RethreadError) return error
  const system = systemCode(error)
  const wording = WORDINGS[ALIASES[system] ?? system]
  const place = offset === undefined ? {} : { offset }
  if (wording !== undefined)
    return new RethreadError({
      code: wording.code,
      text: wording.text(path),
      hint: wording.hint(path),
      path: shown(path),
      ...place,
      cause: error,
    })
  return new RethreadError({
    code: 'io-error',
    text: `Reading ${path} failed: ${system}.`,
    hint: `The disk or the network it is on may be failing. Copy the file elsewhere before anything else: cp ${quote(path)} /some/other/disk/`,
    path,
    ...place,
    cause: error,
  })
}

/** A NUL must not reach a terminal or a log. */
function shown(path: string): string {
  return path.replaceAll('\0', '\\0')
}

/** The same for writing, where permission errors and failures have other texts. */
export function fromWriteError(error: unknown, path: string, offset?: number): RethreadError {
  if (error instanceof RethreadError) return error
  const system = systemCode(error)
  const place = offset === undefined ? {} : { offset }
  if (NOT_WRITABLE.has(system))
    return new RethreadError({
      code: 'permission-denied',
      text: `No permission to write ${path} (${system}).`,
      hint: `See who may: ls -ld ${quote(dirname(path))} ${quote(path)}`,
      path,
      ...place,
      cause: error,
    })
  const known = fromSystemError(error, path, offset)
  if (known.code !== 'io-error') return known
  return new RethreadError({
    code: 'io-error',
    text: `Writing ${path} failed: ${system}.`,
    hint: `The disk or the network it is on may be failing. See what the system says: dmesg | tail; df -h ${quote(dirname(path))}`,
    path,
    ...place,
    cause: error,
  })
}

const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS'])

export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error)
}

export function emptyFile(path: string): RethreadError {
  return new RethreadError({
    code: 'empty-file',
    text: `${path} is empty: nothing was ever written to it, or what was written is lost.`,
    hint: `Look for a copy beside it: ls -la ${quote(path)}*`,
    path,
    offset: 0,
  })
}

export function shrunkFile(path: string, offset: number): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${path} became shorter while it was read.`,
    hint: 'Another program is rewriting it. Try again in a moment.',
    path,
    offset,
  })
}
