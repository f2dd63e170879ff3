// The folders that clients are told of. A person may name others than those the server really uses; they need not exist, and are never made.
import { RethreadError } from '../model/errors.ts'
import { findRepository } from './git/branch.ts'

export interface Folders {
  /** Where a session works whose client names no folder. */
  directory: string
  worktree: string
  home: string
  state: string
  config: string
  /** In place of the one that is checked out. */
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

// The root of the repository that a folder is in, or the folder itself; looked up once for each.

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
    const root = findRoot(directory)
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(directory, root)
    return root
  }
}

/** A folder that may not be looked into is a root of its own. */
function findRoot(directory: string): string {
  try {
    return findRepository(directory)?.root ?? directory
  } catch (error) {
    if (error instanceof RethreadError) return directory
    throw error
  }
}
