// What was changed in a folder since its last commit, or since its branch left another one.
import { LIST_FILTERS, withoutFilters } from '../../disk/processes/git.ts'
import { textValue, type Words, words } from '../../model/program.ts'
import { unsupported } from '../errors.ts'
import { findRepository, readBranches } from './branch.ts'
import { parseChanges, splitPatches } from './parse-changes.ts'
import { type GitOptions, type GitOutput, gitFailed, runGit } from './run-git.ts'
import { describeNew } from './untracked.ts'

export interface Change {
  file: string
  additions: number
  deletions: number
  status: 'added' | 'deleted' | 'modified'
}

export interface ChangeWithPatch extends Change {
  /** Absent for what is no text. */
  patch?: string
}

export interface ChangesWanted extends GitOptions {
  /** `branch`: since the branch left the default one. */
  since: 'commit' | 'branch'
  /** Lines around each change. */
  context?: number
}

const DIFF = words(
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--no-color',
  '--relative',
  '--ignore-submodules=all',
)

/** Undefined where the folder is in no repository. Paths are from the folder. */
export async function listChanges(wanted: ChangesWanted): Promise<Change[] | undefined> {
  if (findRepository(wanted.folder) === undefined) return undefined
  const base = await findBase(wanted)
  const { bytes } = await ask(
    words(DIFF, '--raw', '--numstat', '-z', textValue(base), '--', '.'),
    await disarmed(wanted),
  )
  const fresh = await describeNew(wanted.folder, await listNew(wanted))
  return [...parseChanges(bytes), ...fresh.map(({ patch: _, ...change }) => change)]
}

export async function listPatches(wanted: ChangesWanted): Promise<ChangeWithPatch[] | undefined> {
  if (findRepository(wanted.folder) === undefined) return undefined
  const base = await findBase(wanted)
  const around = `-U${wanted.context ?? 3}` as const
  const safely = await disarmed(wanted)
  const listed = await ask(words(DIFF, '--raw', '--numstat', '-z', textValue(base), '--', '.'), safely)
  const changes = parseChanges(listed.bytes)
  const patch = words(DIFF, '-p', around, '--src-prefix=a/', '--dst-prefix=b/', textValue(base), '--', '.')
  const { bytes } = await ask(patch, safely)
  const patches = splitPatches(bytes)
  // Somebody wrote between the two looks: which patch is whose would be a guess.
  if (patches.length !== changes.length) throw gitFailed(wanted.folder, 'its files changed during the comparison')
  const tracked = changes.map((change, index) => ({ ...change, patch: patches[index] ?? '' }))
  return [...tracked, ...(await describeNew(wanted.folder, await listNew(wanted)))]
}

/** To compare a file with what is committed, git runs the filters of its attributes: those that the repository itself names are taken away. */
async function disarmed(wanted: ChangesWanted): Promise<ChangesWanted> {
  const listed = await tryAsk(LIST_FILTERS, wanted)
  if (listed.code > 1) throw gitFailed(wanted.folder, listed.complaint)
  const settings = withoutFilters(listed.bytes)
  if (settings === undefined)
    throw unsupported('The repository uses a filter that cannot be disabled, so nothing is compared.')
  return { ...wanted, settings }
}

async function listNew(wanted: ChangesWanted): Promise<string[]> {
  const { bytes } = await ask(words('ls-files', '-z', '--others', '--exclude-standard', '--', '.'), wanted)
  return bytes
    .toString('utf8')
    .split('\0')
    .filter(path => path !== '')
}

async function findBase(wanted: ChangesWanted): Promise<string> {
  if (wanted.since === 'branch') return await leftAt(wanted)
  const head = await tryAsk(words('rev-parse', '--verify', '--quiet', 'HEAD'), wanted)
  if (head.code === 0) return lineOf(head)
  // No commit yet: everything is new against nothing.
  return lineOf(await ask(words('hash-object', '-t', 'tree', '--no-filters', '/dev/null'), wanted))
}

async function leftAt(wanted: ChangesWanted): Promise<string> {
  const { default_branch: main } = readBranches(wanted.folder)
  const candidates = [
    ...(main === undefined ? [] : [`refs/remotes/origin/${main}`]),
    'refs/heads/main',
    'refs/heads/master',
  ]
  for (const candidate of candidates) {
    const base = await tryAsk(words('merge-base', 'HEAD', textValue(candidate)), wanted)
    if (base.code === 0) return lineOf(base)
  }
  throw unsupported('There is no branch to compare with: no origin branch, main or master.')
}

function lineOf({ bytes }: GitOutput): string {
  return bytes.toString('utf8').trim()
}

async function ask(list: Words, options: GitOptions): Promise<GitOutput> {
  const output = await tryAsk(list, options)
  if (output.code !== 0) throw gitFailed(options.folder, output.complaint)
  return output
}

async function tryAsk(list: Words, options: GitOptions): Promise<GitOutput> {
  const output = await runGit(list, options)
  if (output === undefined) throw unsupported('git is not installed, or not on the PATH; it is needed to find changes.')
  return output
}
