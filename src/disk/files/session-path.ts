// Resolves a path that an agent names, with all links followed, and checks that it is inside the folders of
// its session.
import { basename, dirname, isAbsolute, resolve, sep } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from './handles.ts'
import { files } from './system-calls.ts'
import { fromSystemError, quote, systemCode } from './system-errors.ts'

export interface SessionPath {
  /** The path as requested, for errors. */
  path: string
  /** The part that exists, without links, and the missing names after it. */
  real: string
  missing: string[]
  /** Throws for a path that is not inside. */
  accept(real: string): void
}

const IS_MISSING = new Set(['ENOENT', 'ENOTDIR'])
const STEPS = process.platform === 'win32' ? /[/\\]/ : '/'

/**
 * Throws for a path that is not inside one of the folders after all links are followed. A folder may be a
 * link itself.
 */
export function resolveInside(path: string, folders: readonly string[]): SessionPath {
  requirePlain(path, folders)
  const roots = folders.flatMap(folder => realIfThere(folder) ?? [])
  const accept = (real: string): void => {
    if (!roots.some(root => isInside(real, root))) throw outside(path, folders)
  }
  const place = { path, ...followLinks(resolve(path), folders), accept }
  accept(place.real)
  return place
}

function requirePlain(path: string, folders: readonly string[]): void {
  const fault = path.includes('\0')
    ? 'contains a NUL'
    : !isAbsolute(path)
      ? 'is not absolute'
      : path.split(STEPS).includes('..')
        ? 'holds a step upwards (..)'
        : undefined
  if (fault === undefined) return
  const shown = path.replaceAll('\0', '\\0')
  throw new RethreadError({
    code: 'usage',
    text: `The path ${shown} ${fault}. ${confined(folders)}`,
    hint: 'Use the absolute path of the file, without "..".',
    path: shown,
  })
}

/** Rejects a dangling link: a file created through it would not be where its name says. */
function followLinks(path: string, folders: readonly string[]): Pick<SessionPath, 'real' | 'missing'> {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    const real = realIfThere(at)
    if (real !== undefined) return { real, missing }
    if (statIfThere(at)?.isSymbolicLink()) throw deadLink(path, at, folders)
    missing.unshift(basename(at))
  }
}

function realIfThere(path: string): string | undefined {
  try {
    return files().realpath(path)
  } catch (error) {
    if (IS_MISSING.has(systemCode(error))) return undefined
    throw fromSystemError(error, path)
  }
}

function isInside(real: string, root: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)
}

function deadLink(path: string, link: string, folders: readonly string[]): RethreadError {
  return new RethreadError({
    code: 'outside-store',
    text: `${path} goes through the link ${link}, which is broken. ${confined(folders)}`,
    hint: `See it: ls -l ${quote(link)}`,
    path,
  })
}

function outside(path: string, folders: readonly string[]): RethreadError {
  return new RethreadError({
    code: 'outside-store',
    text: `${path} is outside. ${confined(folders)}`,
    hint: 'Links are followed first. Choose a file that is inside.',
    path,
  })
}

function confined(folders: readonly string[]): string {
  return folders.length === 0 ? 'This session has no folder.' : `This session is confined to ${folders.join(', ')}.`
}
