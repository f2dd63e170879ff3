// The dashed name of a project cannot be turned back into a folder, but a folder can be turned into its dashed name and compared.

/** Every other character of the path became a dash; which ones, and in which case a drive letter stands, changed between versions. */
export function dashedName(folder: string): string {
  return folder
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()
}

/** Folders that other files name, by their dashed name; two folders with one name give none. */
export class KnownFolders {
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

/** How much of what a tool was given is looked at: paths stand at the beginning. */
const LOOKED_AT_CHARACTERS = 4096
const MAX_DEPTH = 32
const ABSOLUTE_PATH = /(?:[A-Za-z]:)?[\\/][^\s"'`<>|*?]+/g

/** The folder that an absolute path in some text shows the dashed name to stand for. */
export function folderNamedIn(text: string, dashed: string): string | undefined {
  const wanted = dashedName(dashed)
  if (wanted === '') return undefined
  for (const [path] of text.slice(0, LOOKED_AT_CHARACTERS).matchAll(ABSOLUTE_PATH)) {
    const ends = [...path.matchAll(/[\\/]/g)].map(match => match.index).filter(index => index > 0)
    for (const end of [...ends, path.length].slice(0, MAX_DEPTH))
      if (dashedName(path.slice(0, end)) === wanted) return path.slice(0, end)
  }
  return undefined
}
