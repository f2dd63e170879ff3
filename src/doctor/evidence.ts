// Evidence that a folder is one that was moved: its inode, its repository, its files, its name and times.
import { basename, dirname, join } from 'node:path'
import type { GitFacts } from '../agents/listing.ts'
import { statIfThere } from '../disk/files/handles.ts'
import { exists, readOptionalFile } from '../disk/files/read.ts'
import { hasCommit, readRootCommits } from '../disk/processes/git.ts'
import { openCacheTable } from '../disk/state/state.ts'
import { RethreadError } from '../model/errors.ts'

export interface Evidence {
  text: string
  /** A total of 5 is enough. A negative weight is evidence against the candidate. */
  weight: number
  /**
   * Enough for a fix without confirmation. A name and times are not: another folder may have them by chance.
   */
  isProof?: boolean
}

export interface Compared {
  path: string
  candidate: string
  git: readonly GitFacts[]
  firstAt: number
  lastAt: number
  named: readonly string[]
  mentioned: readonly string[]
  /** The other folders that it could be. */
  others: readonly string[]
  /** When the first session was held in the candidate; undefined if none was. */
  sessionsSince: number | undefined
}

/** What an earlier run saw of folders that are gone now. */
export interface FolderMemory {
  recall(path: string): FolderFacts | undefined
}

export interface FolderFacts {
  inode?: string
  remote?: string | undefined
  rootCommit?: string | undefined
}

const SLACK_MS = 2000
const ENOUGH_NAMED = 3
const MAX_TELLING = 20

export function weighEvidence(compared: Compared, memory: FolderMemory): Evidence[] {
  const remembered = memory.recall(compared.path)
  const certain = [...inodeEvidence(compared, remembered), ...worktreeEvidence(compared)]
  if (certain.length > 0) return certain
  const { sessionsSince, lastAt, candidate } = compared
  if (sessionsSince !== undefined && sessionsSince < lastAt)
    return [{ text: `${candidate} existed at the same time.`, weight: -100 }]
  const git = [...compared.git, ...(remembered === undefined ? [] : [remembered])]
  return [
    ...gitEvidence(candidate, git),
    ...fileEvidence(compared),
    ...nameEvidence(compared),
    ...timeEvidence(compared),
  ]
}

export function describeEvidence(evidence: readonly Evidence[]): string[] {
  return evidence.filter(({ weight }) => weight > 0).map(({ text }) => text)
}

function inodeEvidence({ candidate }: Compared, remembered: FolderFacts | undefined): Evidence[] {
  if (remembered?.inode === undefined || inodeOf(candidate) !== remembered.inode) return []
  return [
    { text: 'It is the same folder: an earlier run saw the same inode at the old path.', weight: 10, isProof: true },
  ]
}

/** A worktree that was moved by hand still belongs to the repository that knows it by its old path. */
function worktreeEvidence({ path, candidate }: Compared): Evidence[] {
  const link = readText(join(candidate, '.git'), candidate)
  const own = link === undefined ? undefined : /^gitdir: (.+)$/m.exec(link)?.[1]
  if (own === undefined) return []
  const registered = readText(join(own, 'gitdir'), own)?.trim()
  if (registered !== join(path, '.git')) return []
  return [{ text: `Its repository knows this git worktree by the old path.`, weight: 10, isProof: true }]
}

function gitEvidence(candidate: string, facts: readonly GitFacts[]): Evidence[] {
  if (facts.length === 0 || !exists(join(candidate, '.git'))) return []
  const wanted = new Set(facts.flatMap(({ remote }) => (remote === undefined ? [] : [plainRemote(remote)])))
  const remote = remoteOf(candidate)
  if (remote !== undefined && wanted.has(plainRemote(remote)))
    return [{ text: `It has the same git remote, ${withoutSecret(remote)}.`, weight: 4, isProof: true }]
  const roots = readRootCommits(candidate)
  const root = facts.find(({ rootCommit }) => rootCommit !== undefined && roots.includes(rootCommit))?.rootCommit
  if (root !== undefined)
    return [{ text: `Its repository has the same root commit, ${root.slice(0, 12)}.`, weight: 4, isProof: true }]
  const commit = facts.find(each => each.commit !== undefined && hasCommit(candidate, each.commit))?.commit
  if (commit === undefined) return []
  return [
    {
      text: `Its repository has the commit ${commit.slice(0, 12)} that a conversation was held on.`,
      weight: 4,
      isProof: true,
    },
  ]
}

/** Names that many projects have. */
const COMMON =
  /(?:^|\/)(?:[A-Z_]+(?:\.\w+)?|(?:index|main|app|test|package|package-lock|tsconfig|jsconfig|config|setup|pyproject|requirements|go|Cargo|pom|build|docker-compose|style|styles)\.[\w.]+|Makefile|Dockerfile)$/
const ENOUGH_TELLING = 2

function fileEvidence({ candidate, named, mentioned, others }: Compared): Evidence[] {
  const isIn = (folder: string, name: string): boolean => exists(join(folder, name))
  const there = named.filter(name => isIn(candidate, name))
  if (there.length * 2 < named.length)
    return [{ text: 'Most files that the conversations name are missing.', weight: -2 }]
  const own = [...new Set([...there, ...mentioned.filter(name => isIn(candidate, name))])]
  const telling = own.filter(name => !COMMON.test(name)).slice(0, MAX_TELLING)
  const isUnlike = (other: string): boolean => telling.some(name => !isIn(other, name))
  if (telling.length >= ENOUGH_TELLING && others.every(isUnlike)) {
    const names = telling.slice(0, 3).join(', ')
    const text = `It has the files that the conversations name, and no other folder near it has them: ${names}.`
    return [{ text, weight: 4, isProof: true }]
  }
  if (there.length === 0) return []
  const text = `It has ${there.length} of ${named.length} files that the conversations name: ${there.slice(0, 3).join(', ')}.`
  return [{ text, weight: there.length >= ENOUGH_NAMED ? 4 : 3 }]
}

function nameEvidence({ path, candidate }: Compared): Evidence[] {
  if (basename(path) === basename(candidate)) return [{ text: 'It has the same name.', weight: 2 }]
  return dirname(path) === dirname(candidate)
    ? [{ text: 'It is in the same place, with another name.', weight: 1 }]
    : []
}

/** A rename changes the inode of a folder, and not the time of its content. */
function timeEvidence({ path, candidate, firstAt, lastAt }: Compared): Evidence[] {
  const stats = statIfThere(candidate, 'stat')
  if (stats === undefined) return []
  const [born, changed, modified] = [stats.birthtimeMs, stats.ctimeMs, stats.mtimeMs].map(Number) as [
    number,
    number,
    number,
  ]
  if (changed < lastAt - SLACK_MS) return [{ text: 'It has not changed since the last conversation.', weight: -3 }]
  const isOlder = born > 0 && born <= firstAt + SLACK_MS
  if (isOlder && changed > modified)
    return [
      {
        text: 'It is older than the first conversation, and was renamed after the last one.',
        weight: dirname(path) === dirname(candidate) ? 5 : 3,
      },
    ]
  return isOlder ? [{ text: 'It is older than the first conversation.', weight: 1 }] : []
}

function remoteOf(folder: string): string | undefined {
  const config = readText(join(folder, '.git', 'config'), folder)
  return config === undefined ? undefined : /^\s*url\s*=\s*(\S+)\s*$/m.exec(config)?.[1]
}

/** The same repository over another protocol, or with a name and password. */
function plainRemote(url: string): string {
  const plain = url.replace(/^[a-z+]+:\/\//i, '').replace(/^[^@/]*@/, '')
  return plain
    .replace(':', '/')
    .replace(/\.git\/?$/, '')
    .replace(/\/+$/, '')
    .toLowerCase()
}

function withoutSecret(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//')
}

/** Undefined for a folder, and for what is missing or may not be read: then it is not evidence. */
function readText(path: string, root: string): string | undefined {
  try {
    return readOptionalFile(path, root, 64 * 1024)?.toString('utf8')
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}

function inodeOf(folder: string): string | undefined {
  const stats = statIfThere(folder, 'stat')
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`
}

const TABLE = 'folders-1'

/** Remembers project folders that exist, so that a later run recognises them elsewhere. */
export function rememberFolders(state: string, folders: Iterable<string>): void {
  const table = openCacheTable(state, TABLE)
  try {
    for (const folder of folders) {
      const inode = inodeOf(folder)
      const known = factsFrom(table.get(folder))
      if (inode === undefined || known?.inode === inode) continue
      const rootCommit = exists(join(folder, '.git')) ? readRootCommits(folder)[0] : undefined
      table.set(folder, JSON.stringify({ inode, remote: remoteOf(folder), rootCommit }))
    }
  } finally {
    table.close()
  }
}

export function openFolderMemory(state: string): FolderMemory & { close(): void } {
  const table = openCacheTable(state, TABLE)
  return { recall: path => factsFrom(table.get(path)), close: () => table.close() }
}

function factsFrom(text: string | undefined): FolderFacts | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as FolderFacts)
}
