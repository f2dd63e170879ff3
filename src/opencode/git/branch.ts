// Reads the checked-out branch from git's files: it is needed often, and git may not be installed.
import { dirname, join, resolve } from 'node:path'
import { statIfThere } from '../../disk/files/handles.ts'
import { readOptionalFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'

export interface Branches {
  branch?: string
  default_branch?: string
}

/** Each file holds one line. */
const MAX_POINTER_BYTES = 4096
const BRANCH = /^ref: refs\/heads\/(\S+)\s*$/
const DEFAULT_BRANCH = /^ref: refs\/remotes\/origin\/(\S+)\s*$/
const GITDIR_POINTER = /^gitdir: ([^\0\n]+?)\r?\n?$/

/** Undefined where the folder is not in a repository. */
export function findRepository(directory: string): { root: string; gitFolder: string } | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const gitFolder = gitFolderOf(folder)
    if (gitFolder !== undefined) return { root: folder, gitFolder }
    if (folder === dirname(folder)) return undefined
  }
}

/** Both are absent while no branch is checked out. */
export function readBranches(directory: string): Branches {
  const gitFolder = findRepository(directory)?.gitFolder
  if (gitFolder === undefined) return {}
  const branch = BRANCH.exec(readPointer(gitFolder, 'HEAD') ?? '')?.[1]
  const common = resolve(gitFolder, readPointer(gitFolder, 'commondir')?.trim() || '.')
  const main = DEFAULT_BRANCH.exec(readPointer(join(common, 'refs/remotes/origin'), 'HEAD') ?? '')?.[1]
  return { ...(branch === undefined ? {} : { branch }), ...(main === undefined ? {} : { default_branch: main }) }
}

/** In a second worktree or a submodule, `.git` is a file with the path of the folder. */
function gitFolderOf(folder: string): string | undefined {
  const path = join(folder, '.git')
  const stats = statIfThere(path, 'stat')
  if (stats?.isDirectory()) return path
  if (!stats?.isFile()) return undefined
  const there = GITDIR_POINTER.exec(readPointer(folder, '.git') ?? '')?.[1]
  return there === undefined ? undefined : resolve(folder, there)
}

/** A file that is not a pointer says nothing about a branch. */
function readPointer(folder: string, name: string): string | undefined {
  try {
    return readOptionalFile(join(folder, name), folder, MAX_POINTER_BYTES)?.toString('utf8')
  } catch (error) {
    if (error instanceof RethreadError && NO_POINTER.has(error.code)) return undefined
    throw error
  }
}

const NO_POINTER = new Set(['not-a-session', 'not-a-regular-file', 'is-a-directory', 'outside-store', 'empty-file'])
