// The folders that clients are told of. A person may name others than those the server really uses; they need not exist, and are never made.

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
