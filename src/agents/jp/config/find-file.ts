// A file of configuration by its name with or without its ending, as JP looks for it.
import { extname } from 'node:path'
import { exists, statPath } from '../../../disk/files/read.ts'
import { EXTENSIONS } from './formats.ts'

export function isFile(path: string): boolean {
  return exists(path) && statPath(path).isFile()
}

/** The name as it is, then with each of the endings in the place of its own. */
export function findFile(path: string): string | undefined {
  const stem = path.slice(0, path.length - extname(path).length)
  return [path, ...EXTENSIONS.map(ending => stem + ending)].find(isFile)
}
