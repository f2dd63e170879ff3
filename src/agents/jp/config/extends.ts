// One file of configuration with all that it extends, in the order in which it counts.
import { dirname, join } from 'node:path'
import { realPath } from '../../../disk/files/read.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'
import { isFile } from './find-file.ts'
import { readConfigFile } from './formats.ts'
import { expandPattern, isPattern } from './glob.ts'
import { mergeConfig } from './merge.ts'
import { normalConfig } from './normal.ts'
import { problemText } from './problem.ts'

/** As deep as JP goes, and as many as nobody has: two files that extend each other's neighbours could be thousands. */
const MAX_EXTENDS_DEPTH = 255
const MAX_FILES = 1000

export interface ConfigTree {
  config: Json
  /** What of it could not be taken, and why. */
  notes: string[]
}

/** Throws where the file itself is broken or cannot be read; what it extends is noted then. */
export function readConfigTree(path: string): ConfigTree {
  const walk: Walk = { entries: [], notes: [], above: [] }
  visit(path, walk)
  const config: Json = {}
  for (const [index, entry] of walk.entries.entries()) {
    const isAgain = walk.entries.slice(index + 1).some(({ real }) => real === entry.real)
    // Once, and where it counts most: a list would be added twice otherwise.
    if (!isAgain) mergeConfig(config, normalConfig(entry.config))
  }
  return { config, notes: walk.notes }
}

interface Walk {
  entries: { real: string; config: Json }[]
  notes: string[]
  /** The files that lead to the one that is looked at. */
  above: string[]
}

function visit(path: string, walk: Walk): void {
  const real = realPath(path)
  const { extends: extended, loader: _, ...config } = readConfigFile(path)
  walk.above.push(real)
  const targets = targetsOf(extended, path, walk)
  for (const { file } of targets.filter(({ isAfter }) => !isAfter)) visitExtended(file, path, walk)
  walk.entries.push({ real, config })
  for (const { file } of targets.filter(({ isAfter }) => isAfter)) visitExtended(file, path, walk)
  walk.above.pop()
}

function visitExtended(file: string, from: string, walk: Walk): void {
  try {
    const text = reasonToSkip(file, walk)
    if (text === undefined) visit(file, walk)
    else walk.notes.push(`${from} extends ${file}, ${text}`)
  } catch (error) {
    walk.notes.push(problemText(error))
  }
}

function reasonToSkip(file: string, { above, entries }: Walk): string | undefined {
  if (!isFile(file)) return 'which is not there'
  if (above.includes(realPath(file))) return 'which leads back to it'
  if (above.length >= MAX_EXTENDS_DEPTH) return `more than ${MAX_EXTENDS_DEPTH} files deep`
  return entries.length >= MAX_FILES ? `beyond the ${MAX_FILES} files that are read` : undefined
}

interface Target {
  file: string
  /** It counts more than the file that extends it. */
  isAfter: boolean
}

function targetsOf(extended: unknown, path: string, { notes }: Walk): Target[] {
  if (extended === undefined || extended === null) return []
  const list = asArray(extended)
  if (list === undefined) notes.push(`${path} does not say in a list what it extends`)
  return (list ?? []).flatMap(item => {
    const name = asText(item) ?? asText(asObject(item)?.['path'])
    if (name === undefined) {
      notes.push(`${path} extends something that is not the name of a file`)
      return []
    }
    const isAfter = asObject(item)?.['strategy'] === 'after'
    return filesOf(dirname(path), name, notes).map(file => ({ file, isAfter }))
  })
}

function filesOf(folder: string, name: string, notes: string[]): string[] {
  try {
    return isPattern(name) ? expandPattern(folder, name).filter(isFile) : [join(folder, name)]
  } catch (error) {
    notes.push(problemText(error))
    return []
  }
}
