// Runs git in a folder. git may not change the folder, nor start a program that the repository configures.
import type { Variables } from '../../disk/processes/find-command.ts'
import { gitEnvironment, gitProgram } from '../../disk/processes/git.ts'
import { startPiped } from '../../disk/processes/start-program.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Value, Words } from '../../model/program.ts'

export interface GitOptions {
  folder: string
  /** The user's environment. git needs HOME and PATH. */
  variables: Variables
  signal?: AbortSignal
  /** Settings for this call, in addition to the common ones. */
  settings?: readonly ('-c' | Value)[]
}

export interface GitOutput {
  bytes: Buffer
  code: number
  /** The beginning of its error output. */
  complaint: string
}

/** git status in a large repository takes seconds on a cold disk. */
const GIT_MS = 20_000
const MAX_GIT_BYTES = 32 * 1024 * 1024
const MAX_COMPLAINT_CHARS = 500
/** Undefined where git is not installed. Throws where it takes too long or prints too much. */
export async function runGit(list: Words, options: GitOptions): Promise<GitOutput | undefined> {
  const { folder, variables, signal, settings } = options
  const git = gitProgram(list, variables, settings)
  if (git === undefined) return undefined
  const child = startPiped(git, {
    folder,
    env: gitEnvironment(variables),
    timeout: GIT_MS,
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end()
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

export function gitFailed(folder: string, complaint: string): RethreadError {
  return new RethreadError({
    code: 'io-error',
    text: `git could not list the changes in ${folder}: ${complaint.trim() || 'it gave no reason'}`,
    hint: 'See what it says there: git status',
    path: folder,
  })
}

function notRun(cause: Error): RethreadError {
  const isGone = cause.name === 'AbortError'
  return new RethreadError({
    code: isGone ? 'stopped' : 'io-error',
    text: isGone ? 'The client has disconnected.' : `git could not be started: ${cause.message}.`,
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
    text: `More than ${MAX_GIT_BYTES} bytes have changed in ${folder}; that is too much to send.`,
    hint: 'See it there: git diff --stat',
    path: folder,
  })
}
