// A dashed project name cannot be converted back to a folder. But a known folder, or one that exists, can be
// converted to its dashed name and compared.
import { join, sep } from 'node:path'
import { listFolder } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'

/**
 * Every other character of the path becomes a dash. Which ones, and the case of a drive letter, differ
 * between versions.
 */
export function dashedName(folder: string): string {
  return folder
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()
}

/** Folders that other files name, by their dashed name. Two folders with the same dashed name give none. */
export class CursorFolders {
  readonly #byName = new Map<string, Set<string>>()

  add(folder: string): void {
    const name = dashedName(folder)
    this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(folder))
  }

  find(dashed: string): string | undefined {
    const folders = [...(this.#byName.get(dashedName(dashed)) ?? [])]
    return folders.length === 1 ? folders[0] : undefined
  }
}

const MAX_LISTED = 200

/** The only existing folder with this dashed name. */
export function existingFolder(dashed: string): string | undefined {
  const wanted = dashedName(dashed)
  if (wanted === '') return undefined
  const drive = sep === '\\' ? wanted.split('-')[0] : undefined
  const found = foldersNamed(drive === undefined ? sep : `${drive}:${sep}`, wanted, { listed: 0 })
  return found.length === 1 ? found[0] : undefined
}

/** Lists only folders whose own dashed name starts the wanted one. */
function foldersNamed(folder: string, wanted: string, work: { listed: number }): string[] {
  if (work.listed++ >= MAX_LISTED) return []
  return subfoldersOf(folder).flatMap(path => {
    const name = dashedName(path)
    if (name === wanted) return [path]
    return wanted.startsWith(`${name}-`) ? foldersNamed(path, wanted, work) : []
  })
}

/** A folder that cannot be listed gives no name. */
function subfoldersOf(folder: string): string[] {
  try {
    return listFolder(folder).flatMap(({ name, isFolder }) => (isFolder ? [join(folder, name)] : []))
  } catch (error) {
    if (error instanceof RethreadError) return []
    throw error
  }
}

/** How many characters of a tool's input are searched: paths are at its start. */
const SEARCHED_CHARACTERS = 4096
const MAX_DEPTH = 32
const ABSOLUTE_PATH = /(?:[A-Za-z]:)?[\\/][^\s"'`<>|*?]+/g

/** The folder with this dashed name, from an absolute path in a text. */
export function folderNamedIn(text: string, dashed: string): string | undefined {
  const wanted = dashedName(dashed)
  if (wanted === '') return undefined
  for (const [path] of text.slice(0, SEARCHED_CHARACTERS).matchAll(ABSOLUTE_PATH)) {
    const ends = [...path.matchAll(/[\\/]/g)].map(match => match.index).filter(index => index > 0)
    for (const end of [...ends, path.length].slice(0, MAX_DEPTH))
      if (dashedName(path.slice(0, end)) === wanted) return path.slice(0, end)
  }
  return undefined
}
