// One file as it was last committed, if its folder is in a git repository and git is installed.
import { textValue, words } from '../../model/program.ts'
import { gitEnvironment, gitProgram } from './git.ts'
import { runProgram } from './start-program.ts'

const GIT_TIMEOUT_MS = 10_000

/** `path` is relative to `folder`. Undefined without git, a repository, a commit, or such a file in it. */
export function readCommitted(folder: string, path: string, limitBytes: number): Buffer | undefined {
  const git = gitProgram(words('cat-file', 'blob', textValue(`HEAD:./${path}`)), process.env)
  if (git === undefined) return undefined
  const { status, stdout } = runProgram(git, {
    folder,
    env: gitEnvironment(process.env),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: GIT_TIMEOUT_MS,
    maxBuffer: limitBytes,
  })
  return status === 0 ? stdout : undefined
}
