// Project folders that sessions name and that no longer exist, and where they went. The search is bounded: the
// neighbours of the old place, and folders that other sessions name.
import { basename, dirname, join, sep } from 'node:path'
import type { FolderMove, GitFacts } from '../agents/listing.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { listFolder, openFile } from '../disk/files/read.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import { describeEvidence, type Evidence, type FolderMemory, weighEvidence } from './evidence.ts'

export interface GoneFolder {
  path: string
  sessions: SessionRef[]
  git: GitFacts[]
  /** Milliseconds since 1970. */
  firstAt: number
  lastAt: number
  /** Paths below the folder that the conversations name, relative to it. */
  named: string[]
}

/** When sessions were held in a folder that exists. */
export type KnownFolders = ReadonlyMap<string, { firstAt: number }>

export interface MovedFolder {
  move: FolderMove
  evidence: string[]
}

const MAX_ENTRIES = 2000
const MAX_NAMED = 40
const MAX_READ_BYTES = 512 * 1024
const MAX_READ_SESSIONS = 5
/** Enough for a folder whose name or files tell it apart. */
const SURE = 5

/** Undefined where nothing is found, or two places are equally likely. */
export function findMoved(gone: GoneFolder, known: KnownFolders, memory: FolderMemory): MovedFolder | undefined {
  const weighed = candidatesFor(gone.path, known).flatMap(path => {
    const evidence = evidenceIn(gone, path, known, memory)
    const weight = evidence.reduce((sum, each) => sum + each.weight, 0)
    return weight >= SURE ? [{ path, evidence, weight }] : []
  })
  const [best, second] = weighed.toSorted((a, b) => b.weight - a.weight)
  if (best === undefined || (second !== undefined && second.weight === best.weight)) return undefined
  return { move: topOf(gone.path, best.path), evidence: describeEvidence(best.evidence) }
}

function evidenceIn(gone: GoneFolder, path: string, known: KnownFolders, memory: FolderMemory): Evidence[] {
  const session = known.get(path)
  return weighEvidence({ ...gone, candidate: path, sessionsSince: session?.firstAt }, memory)
}

/** `~/code/a/b` and `~/src/a/b`: the folder that moved is `~/code`. Never one that exists. */
function topOf(from: string, to: string): FolderMove {
  const move = { from, to }
  while (basename(move.from) === basename(move.to) && !isFolder(dirname(move.from)) && dirname(move.to) !== move.to) {
    move.from = dirname(move.from)
    move.to = dirname(move.to)
  }
  return move
}

function candidatesFor(path: string, known: KnownFolders): string[] {
  let above = dirname(path)
  while (!isFolder(above) && dirname(above) !== above) above = dirname(above)
  const names = path.slice(above.endsWith(sep) ? above.length : above.length + 1).split(sep)
  const [first = '', ...inside] = names
  const found = new Set<string>()
  const add = (candidate: string): void => {
    if (candidate !== path && isFolder(candidate)) found.add(candidate)
  }
  const siblings = foldersIn(above, first.startsWith('.'))
  // Renamed in its place, or one of the folders above it.
  for (const sibling of siblings) add(join(sibling, ...inside))
  // Moved into a neighbour, or beside the folder around it.
  for (const near of new Set([above, dirname(above)]))
    for (const folder of [near, ...foldersIn(near, false)])
      for (let from = 0; from < names.length; from++) add(join(folder, ...names.slice(from)))
  for (const folder of known.keys()) {
    add(folder)
    add(join(dirname(folder), ...names.slice(-1)))
  }
  return [...found].slice(0, MAX_ENTRIES)
}

function foldersIn(path: string, isHiddenWanted: boolean): string[] {
  try {
    return listFolder(path)
      .filter(({ name, isFolder: isIt }) => isIt && (isHiddenWanted || !name.startsWith('.')))
      .slice(0, MAX_ENTRIES)
      .map(entry => entry.path)
  } catch (error) {
    // A neighbour that may not be read is not where the person moved a project to.
    if (error instanceof RethreadError) return []
    throw error
  }
}

export function isFolder(path: string): boolean {
  try {
    return statIfThere(path, 'stat')?.isDirectory() === true
  } catch (error) {
    if (error instanceof RethreadError) return false
    throw error
  }
}

/** Paths in the folder that the first part of some conversations names. A database is not searched. */
export function namedFiles(folder: string, sessions: readonly SessionRef[]): string[] {
  const found = new Set<string>()
  const files = new Map(sessions.map(session => [session.filePath, session]))
  for (const { filePath, storeRoot, ownBytes } of [...files.values()].slice(0, MAX_READ_SESSIONS)) {
    if (ownBytes !== undefined || found.size >= MAX_NAMED) continue
    const file = openFile(filePath, storeRoot)
    try {
      const text = file.range(0, Math.min(MAX_READ_BYTES, file.identity.size)).toString('utf8')
      const prefix = `${folder}/`
      for (let at = text.indexOf(prefix); at !== -1 && found.size < MAX_NAMED; at = text.indexOf(prefix, at + 1)) {
        const name = /^[\w.@+-]+(?:\/[\w.@+-]+)*/.exec(text.slice(at + prefix.length, at + prefix.length + 200))?.[0]
        // A dot at the end is that of a sentence.
        if (name !== undefined) found.add(name.replace(/\.+$/, ''))
      }
    } finally {
      file.close()
    }
  }
  return [...found].filter(name => name !== '' && !name.split('/').includes('..'))
}
