// The folders that the API reports to clients. Variables may name other folders than the server uses; they
// need not exist and are never created.
import { RethreadError } from '../model/errors.ts'
import { findRepository } from './git/branch.ts'

export interface Folders {
  /** The folder of a session whose client names none. */
  directory: string
  worktree: string
  home: string
  state: string
  config: string
  /** Reported instead of the checked-out branch. */
  branch: string | undefined
}

const PREFIX = 'OPENCODE_COMPAT_'

export function chooseFolders(
  variables: Readonly<Record<string, string | undefined>>,
  own: Pick<Folders, 'directory' | 'home' | 'state' | 'config'>,
): Folders {
  const given = (name: string): string | undefined => variables[`${PREFIX}${name}`] || undefined
  const directory = given('DIRECTORY') ?? own.directory
  return {
    directory,
    worktree: given('WORKTREE') ?? directory,
    home: given('HOME') ?? own.home,
    state: given('STATE') ?? own.state,
    config: given('CONFIG') ?? own.config,
    branch: given('BRANCH'),
  }
}

// Finds the root of the repository of a folder, or the folder itself. Results are cached.

const MAX_KNOWN = 1000

export class Roots {
  readonly #folders: Folders
  readonly #known = new Map<string, string>()

  constructor(folders: Folders) {
    this.#folders = folders
  }

  rootOf(directory: string): string {
    const { directory: own, worktree } = this.#folders
    // The configured worktree.
    if (directory === own && worktree !== own) return worktree
    const known = this.#known.get(directory)
    if (known !== undefined) return known
    const root = findRoot(directory)
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(directory, root)
    return root
  }
}

/** A folder that may not be read is its own root. */
function findRoot(directory: string): string {
  try {
    return findRepository(directory)?.root ?? directory
  } catch (error) {
    if (error instanceof RethreadError) return directory
    throw error
  }
}
