// The root of the repository that a folder is in, or the folder itself; looked up once for each.
import { RethreadError } from '../model/errors.ts'
import type { Folders } from './folders.ts'
import { findRepository } from './git/branch.ts'

const MAX_KNOWN = 1000

export class Roots {
  readonly #folders: Folders
  readonly #known = new Map<string, string>()

  constructor(folders: Folders) {
    this.#folders = folders
  }

  rootOf(directory: string): string {
    const { directory: own, worktree } = this.#folders
    // As a person named it.
    if (directory === own && worktree !== own) return worktree
    const known = this.#known.get(directory)
    if (known !== undefined) return known
    const root = lookUp(directory)
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(directory, root)
    return root
  }
}

/** A folder that may not be looked into is a root of its own. */
function lookUp(directory: string): string {
  try {
    return findRepository(directory)?.root ?? directory
  } catch (error) {
    if (error instanceof RethreadError) return directory
    throw error
  }
}
