// Asks git about a folder, and never lets it change one: no lock, no hook, no pager, monitor or diff program that the repository names.
// Filters of its attributes it starts all the same: without them it could not tell what changed.
import { spawn } from 'node:child_process'
import { findCommand, type Variables } from '../../disk/find-command.ts'
import { RethreadError } from '../../model/errors.ts'

export interface GitOptions {
  folder: string
  /** Of the person: git needs the home folder and the PATH. */
  variables: Variables
  signal?: AbortSignal
}

export interface GitOutput {
  bytes: Buffer
  code: number
  /** What it complained about, its beginning. */
  complaint: string
}

/** A status of a large repository takes seconds on a cold disk. */
export const GIT_MS = 20_000
export const MAX_GIT_BYTES = 32 * 1024 * 1024
const MAX_COMPLAINT_CHARS = 500
/** They would lead to another repository, or make git start something. */
const LEADS_ELSEWHERE = /^GIT_/i
/** What a repository may name in its own settings, and would be started by only looking at it. */
const SAFE = [
  ...['core.fsmonitor=false', 'core.hooksPath=', 'core.pager=cat', 'core.quotePath=false', 'diff.external='],
  ...['diff.mnemonicPrefix=false', 'diff.noprefix=false', 'color.ui=false', 'submodule.recurse=false'],
].flatMap(setting => ['-c', setting])

/** Undefined where git is not installed. Throws where it takes too long or says too much. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitOutput | undefined> {
  const { folder, variables, signal } = options
  const git = findCommand('git', folder, variables)
  if (git === undefined) return undefined
  const child = spawn(git, ['--no-pager', '--no-optional-locks', ...SAFE, ...args], {
    cwd: folder,
    env: environmentOf(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: GIT_MS,
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  })
  const out: Buffer[] = []
  let [size, complaint] = [0, '']
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_GIT_BYTES) out.push(chunk)
    else child.kill('SIGKILL')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(0, MAX_COMPLAINT_CHARS)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', cause => reject(notRun(cause)))
    child.on('close', resolve)
  })
  if (size > MAX_GIT_BYTES) throw tooMuch(folder)
  if (code === null) throw tooSlow(folder)
  return { bytes: Buffer.concat(out), code, complaint }
}

function environmentOf(variables: Variables): Record<string, string> {
  const kept = Object.entries(variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !LEADS_ELSEWHERE.test(entry[0]),
  )
  return { ...Object.fromEntries(kept), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
}

export function gitFailed(folder: string, complaint: string): RethreadError {
  return new RethreadError({
    code: 'io-error',
    text: `git could not say what changed in ${folder}: ${complaint.trim() || 'it gave no reason'}`,
    hint: 'See what it says there: git status',
    path: folder,
  })
}

function notRun(cause: Error): RethreadError {
  const isGone = cause.name === 'AbortError'
  return new RethreadError({
    code: isGone ? 'stopped' : 'io-error',
    text: isGone ? 'Whoever asked has gone.' : `git could not be started: ${cause.message}.`,
    hint: 'See whether it runs: git --version',
    cause,
  })
}

function tooSlow(folder: string): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `git did not end within ${GIT_MS} ms in ${folder}, or was ended.`,
    hint: 'See how long it takes there: time git status',
    path: folder,
  })
}

function tooMuch(folder: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `More than ${MAX_GIT_BYTES} bytes have changed in ${folder}; so much is not sent.`,
    hint: 'Look at it there: git diff --stat',
    path: folder,
  })
}
