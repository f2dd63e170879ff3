// Paths as they are archived: below the home with `~/` at their start, so that they fit another home.
import { isAbsolute, join, relative, sep } from 'node:path'
import type { Place } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'

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

type Rooted = Pick<SessionRef, 'storeRoot'>

/** A place in the files of one session, as the same place in those of its copy, or the other way round. */
export function placeIn<P extends Place>(place: P, from: Rooted, to: Rooted): P {
  const inside = relative(from.storeRoot, place.file)
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return place
  return { ...place, file: join(to.storeRoot, inside) }
}
