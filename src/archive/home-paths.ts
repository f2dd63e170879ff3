// Paths as they are archived: below the home with `~/` at their start, so that they fit another home.
import { isAbsolute, join, sep } from 'node:path'

export function foldHome(path: string, home: string): string {
  const below = home.endsWith(sep) ? home : home + sep
  return path.startsWith(below) ? `~/${path.slice(below.length).replaceAll(sep, '/')}` : path
}

/** Undefined for a path that would leave its folder, or that is relative to another one. */
export function unfoldHome(path: string, home: string): string | undefined {
  if (path.includes('\0') || path.split(/[\\/]/).includes('..')) return undefined
  if (path.startsWith('~/')) return join(home, ...path.slice(2).split('/'))
  return isAbsolute(path) ? path : undefined
}
