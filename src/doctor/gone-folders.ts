// Project folders that sessions name and that no longer exist, and where they went. The search is bounded:
// the neighbours of the old place, and folders that other sessions name.
import { basename, dirname, join, sep } from 'node:path'
import type { FolderMove, GitFacts } from '../agents/listing.ts'
import { findStore, type Store } from '../agents/store.ts'
import { toJson } from '../bytes/json.ts'
import type { Context } from '../catalog/context.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { listFolder, openFile } from '../disk/files/read.ts'
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import { describeEvidence, type FolderMemory, weighEvidence } from './evidence.ts'

export interface GoneFolder {
  path: string
  sessions: SessionRef[]
  git: GitFacts[]
  /** Milliseconds since 1970. */
  firstAt: number
  lastAt: number
  /** Paths below the folder that the conversations name in full, relative to it. */
  named: string[]
  /** Names of files that they name without the folder. */
  mentioned: string[]
}

/** When sessions were held in a folder that exists. */
export type KnownFolders = ReadonlyMap<string, { firstAt: number }>

export interface MovedFolder {
  move: FolderMove
  evidence: string[]
  /** The evidence is more than a name and times: it may be fixed without a question. */
  isProven: boolean
}

const MAX_ENTRIES = 2000
const MAX_NAMED = 40
const MAX_MENTIONED = 300
const MAX_READ_BYTES = 512 * 1024
const MAX_READ_SESSIONS = 5
/** Enough for a folder whose name or files tell it apart. */
const SURE = 5

/** Undefined where nothing is found, or two places are equally likely. */
export function findMoved(gone: GoneFolder, known: KnownFolders, memory: FolderMemory): MovedFolder | undefined {
  const candidates = candidatesFor(gone.path, known)
  const weighed = candidates.flatMap(path => {
    const others = candidates.filter(other => other !== path)
    const compared = { ...gone, candidate: path, others, sessionsSince: known.get(path)?.firstAt }
    const evidence = weighEvidence(compared, memory)
    const weight = evidence.reduce((sum, each) => sum + each.weight, 0)
    return weight >= SURE ? [{ path, evidence, weight }] : []
  })
  const [best, second] = weighed.toSorted((a, b) => b.weight - a.weight)
  if (best === undefined || (second !== undefined && second.weight === best.weight)) return undefined
  const isProven = best.evidence.some(({ isProof }) => isProof === true)
  return { move: topOf(gone.path, best.path), evidence: describeEvidence(best.evidence), isProven }
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

/** The files that the first part of some conversations names: below the folder, and without any folder. */
export async function namedFiles(
  context: Context,
  folder: string,
  sessions: readonly SessionRef[],
): Promise<Pick<GoneFolder, 'named' | 'mentioned'>> {
  const [named, mentioned] = [new Set<string>(), new Set<string>()]
  for (const session of sessions.slice(0, MAX_READ_SESSIONS))
    for (const [path] of (await firstPart(context, session)).matchAll(PATH)) {
      // A dot at the end is that of a sentence.
      const name = path.replace(/\.+$/, '').replace(/^\.\//, '')
      const isInside = name.startsWith(`${folder}/`)
      const inside = isInside ? name.slice(folder.length + 1) : name
      if (inside === '' || inside.split('/').includes('..')) continue
      if (isInside && named.size < MAX_NAMED) named.add(inside)
      else if (HAS_SUFFIX.test(inside) && !/^[/~]/.test(inside) && mentioned.size < MAX_MENTIONED) mentioned.add(inside)
    }
  return { named: [...named], mentioned: [...mentioned] }
}

const PATH = /(?<![\w/.~@+-])[~\w.@+/-]+/g
const HAS_SUFFIX = /\.[a-z]\w{0,7}$/i

/** Without the escapes of JSON. Empty where it cannot be read: then it is not evidence. */
async function firstPart({ agents }: Context, session: SessionRef): Promise<string> {
  const agent = agents.find(({ id }) => id === session.agent)
  const store = findStore(agent, session)
  const isSpread = store?.traits.framing === 'sqlite' || store?.traits.framing === 'json-tree'
  try {
    const text = isSpread ? await messagesOf(store, session) : headOf(session)
    return text.replace(/\\[nrt]/g, ' ')
  } catch (error) {
    if (error instanceof RethreadError) return ''
    throw error
  }
}

function headOf({ filePath, storeRoot }: SessionRef): string {
  const file = openFile(filePath, storeRoot)
  try {
    return file.range(0, Math.min(MAX_READ_BYTES, file.identity.size)).toString('utf8')
  } finally {
    file.close()
  }
}

/** Of a session that is not in one file of its own. */
async function messagesOf(store: Store, session: SessionRef): Promise<string> {
  let text = ''
  for await (const { parts } of store.read(session)) {
    text += toJson(parts)
    if (text.length > MAX_READ_BYTES) break
  }
  return text
}
