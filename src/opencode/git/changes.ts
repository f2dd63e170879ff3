// What was changed in a folder since its last commit, or since its branch left another one.
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

const DIFF = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--no-color',
  '--relative',
  '--ignore-submodules=all',
]

/** Undefined where the folder is in no repository. Paths are from the folder. */
export async function listChanges(wanted: ChangesWanted): Promise<Change[] | undefined> {
  if (findRepository(wanted.folder) === undefined) return undefined
  const base = await findBase(wanted)
  const { bytes } = await ask([...DIFF, '--raw', '--numstat', '-z', base, '--', '.'], wanted)
  const fresh = await describeNew(wanted.folder, await listNew(wanted))
  return [...parseChanges(bytes), ...fresh.map(({ patch: _, ...change }) => change)]
}

export async function listPatches(wanted: ChangesWanted): Promise<ChangeWithPatch[] | undefined> {
  if (findRepository(wanted.folder) === undefined) return undefined
  const base = await findBase(wanted)
  const around = `-U${wanted.context ?? 3}`
  const listed = await ask([...DIFF, '--raw', '--numstat', '-z', base, '--', '.'], wanted)
  const changes = parseChanges(listed.bytes)
  const { bytes } = await ask([...DIFF, '-p', around, '--src-prefix=a/', '--dst-prefix=b/', base, '--', '.'], wanted)
  const patches = splitPatches(bytes)
  // Somebody wrote between the two looks: which patch is whose would be a guess.
  if (patches.length !== changes.length) throw gitFailed(wanted.folder, 'its files changed while it looked')
  const tracked = changes.map((change, index) => ({ ...change, patch: patches[index] ?? '' }))
  return [...tracked, ...(await describeNew(wanted.folder, await listNew(wanted)))]
}

async function listNew(wanted: ChangesWanted): Promise<string[]> {
  const { bytes } = await ask(['ls-files', '-z', '--others', '--exclude-standard', '--', '.'], wanted)
  return bytes
    .toString('utf8')
    .split('\0')
    .filter(path => path !== '')
}

async function findBase(wanted: ChangesWanted): Promise<string> {
  if (wanted.since === 'branch') return await leftAt(wanted)
  const head = await tryAsk(['rev-parse', '--verify', '--quiet', 'HEAD'], wanted)
  if (head.code === 0) return lineOf(head)
  // No commit yet: everything is new against nothing.
  return lineOf(await ask(['hash-object', '-t', 'tree', '/dev/null'], wanted))
}

async function leftAt(wanted: ChangesWanted): Promise<string> {
  const { default_branch: main } = readBranches(wanted.folder)
  const candidates = [
    ...(main === undefined ? [] : [`refs/remotes/origin/${main}`]),
    'refs/heads/main',
    'refs/heads/master',
  ]
  for (const candidate of candidates) {
    const base = await tryAsk(['merge-base', 'HEAD', candidate], wanted)
    if (base.code === 0) return lineOf(base)
  }
  throw unsupported('There is no branch to compare with: neither that of origin, nor main, nor master.')
}

function lineOf({ bytes }: GitOutput): string {
  return bytes.toString('utf8').trim()
}

async function ask(args: readonly string[], options: GitOptions): Promise<GitOutput> {
  const output = await tryAsk(args, options)
  if (output.code !== 0) throw gitFailed(options.folder, output.complaint)
  return output
}

async function tryAsk(args: readonly string[], options: GitOptions): Promise<GitOutput> {
  const output = await runGit(args, options)
  if (output === undefined)
    throw unsupported('git is not installed, or not on the PATH; without it nothing is known of changes.')
  return output
}
