// The changes in a folder since its last commit, or since its branch left the default branch.

import { join } from 'node:path'
import { readRange } from '../../disk/files/handles.ts'
import { withSessionFile } from '../../disk/files/session-folder.ts'
import { LIST_FILTERS, withoutFilters } from '../../disk/processes/git.ts'
import { RethreadError } from '../../model/errors.ts'
import { textValue, type Words, words } from '../../model/program.ts'
import { unsupported } from '../errors.ts'
import { isTextual } from '../files/read-content.ts'
import { findRepository, readBranches } from './branch.ts'
import { type GitOptions, type GitOutput, gitFailed, runGit } from './run-git.ts'

export interface GitChange {
  file: string
  additions: number
  deletions: number
  status: 'added' | 'deleted' | 'modified'
}

export interface ChangeWithPatch extends GitChange {
  /** Absent for a binary file. */
  patch?: string
}

export interface ChangesWanted extends GitOptions {
  /** `branch`: since the branch left the default branch. */
  since: 'commit' | 'branch'
  /** Lines of context around each change. */
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

/** Undefined where the folder is not in a repository. Paths are relative to the folder. */
export async function listChanges(wanted: ChangesWanted): Promise<GitChange[] | undefined> {
  if (findRepository(wanted.folder) === undefined) return undefined
  const base = await findBase(wanted)
  const { bytes } = await ask(
    words(DIFF, '--raw', '--numstat', '-z', textValue(base), '--', '.'),
    await withoutRepositoryFilters(wanted),
  )
  const untracked = await describeNew(wanted.folder, await listNew(wanted))
  return [...parseChanges(bytes), ...untracked.map(({ patch: _, ...change }) => change)]
}

export async function listPatches(wanted: ChangesWanted): Promise<ChangeWithPatch[] | undefined> {
  if (findRepository(wanted.folder) === undefined) return undefined
  const base = await findBase(wanted)
  const around = `-U${wanted.context ?? 3}` as const
  const safely = await withoutRepositoryFilters(wanted)
  const listed = await ask(words(DIFF, '--raw', '--numstat', '-z', textValue(base), '--', '.'), safely)
  const changes = parseChanges(listed.bytes)
  const patch = words(DIFF, '-p', around, '--src-prefix=a/', '--dst-prefix=b/', textValue(base), '--', '.')
  const { bytes } = await ask(patch, safely)
  const patches = splitPatches(bytes)
  // The files changed between the two git calls, so the patches cannot be assigned.
  if (patches.length !== changes.length) throw gitFailed(wanted.folder, 'its files changed during the comparison')
  const tracked = changes.map((change, index) => ({ ...change, patch: patches[index] ?? '' }))
  return [...tracked, ...(await describeNew(wanted.folder, await listNew(wanted)))]
}

/**
 * git runs the filters of a file's attributes when it compares. Filters that the repository itself configures
 * are disabled.
 */
async function withoutRepositoryFilters(wanted: ChangesWanted): Promise<ChangesWanted> {
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
  if (wanted.since === 'branch') return await findBranchBase(wanted)
  const head = await tryAsk(words('rev-parse', '--verify', '--quiet', 'HEAD'), wanted)
  if (head.code === 0) return lineOf(head)
  // No commit yet: compare with the empty tree.
  return lineOf(await ask(words('hash-object', '-t', 'tree', '--no-filters', '/dev/null'), wanted))
}

async function findBranchBase(wanted: ChangesWanted): Promise<string> {
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

/** Parses `--raw --numstat -z`: first the status of each file, then its line counts. */
function parseChanges(bytes: Buffer): GitChange[] {
  const fields = bytes.toString('utf8').split('\0')
  const statuses = new Map<string, GitChange['status']>()
  const changes: GitChange[] = []
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ''
    const raw = /^:\S+ \S+ \S+ \S+ ([A-Z])\d*$/.exec(field)
    const counts = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(field)
    if (raw !== null) statuses.set(fields[++at] ?? '', statusOf(raw[1]))
    else if (counts !== null) {
      const [, added = '', removed = '', file = ''] = counts
      const status = statuses.get(file) ?? 'modified'
      changes.push({ file, additions: count(added), deletions: count(removed), status })
    }
  }
  return changes
}

/** One patch for each file, in order. No line inside a patch starts like this. */
function splitPatches(bytes: Buffer): string[] {
  const text = bytes.toString('utf8')
  if (text === '') return []
  return text.split(/^(?=diff --git )/m)
}

/** git counts no lines in a binary file. */
function count(field: string): number {
  return field === '-' ? 0 : Number(field)
}

function statusOf(letter: string | undefined): GitChange['status'] {
  if (letter === 'A') return 'added'
  return letter === 'D' ? 'deleted' : 'modified'
}

/** Files beyond this are listed without their content. */
const MAX_NEW_FILES_READ = 500
const MAX_NEW_FILE_BYTES = 1024 * 1024

async function describeNew(folder: string, paths: readonly string[]): Promise<ChangeWithPatch[]> {
  const described: ChangeWithPatch[] = []
  for (const [index, file] of paths.entries()) {
    const text = index < MAX_NEW_FILES_READ ? await readText(folder, file) : undefined
    described.push({
      file,
      additions: 0,
      deletions: 0,
      status: 'added',
      ...(text === undefined ? {} : asPatch(file, text)),
    })
  }
  return described
}

/** Undefined for a binary file, a large file, or a link. */
async function readText(folder: string, file: string): Promise<string | undefined> {
  try {
    const bytes = await withSessionFile(join(folder, file), [folder], (handle, size) =>
      size > MAX_NEW_FILE_BYTES ? undefined : readRange(handle, 0, size),
    )
    return bytes === undefined || !isTextual(bytes) ? undefined : bytes.toString('utf8')
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

function asPatch(file: string, text: string): { additions: number; patch: string } {
  const head = `diff --git a/${file} b/${file}\nnew file mode 100644\n`
  if (text === '') return { additions: 0, patch: head }
  const isEnded = text.endsWith('\n')
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n')
  const body = lines.map(line => `+${line}\n`).join('')
  const range = lines.length === 1 ? '+1' : `+1,${lines.length}`
  const end = isEnded ? '' : '\\ No newline at end of file\n'
  return { additions: lines.length, patch: `${head}--- /dev/null\n+++ b/${file}\n@@ -0,0 ${range} @@\n${body}${end}` }
}
