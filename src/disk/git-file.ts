// One file as it was last committed, where its folder is in a git repository and git is installed. Runs nothing that the repository names: no hooks, no filters, no watchers.
import { spawnSync } from 'node:child_process'
import { findCommand } from './find-command.ts'

const GIT_TIMEOUT_MS = 10_000

/** `path` is relative to `folder`. Undefined where there is no git, no repository, no commit, or no such file in it. */
export function readCommitted(folder: string, path: string, limitBytes: number): Buffer | undefined {
  const git = findCommand('git', folder, process.env)
  if (git === undefined) return undefined
  const { status, stdout } = spawnSync(
    git,
    ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', 'cat-file', 'blob', `HEAD:./${path}`],
    {
      cwd: folder,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: GIT_TIMEOUT_MS,
      maxBuffer: limitBytes,
    },
  )
  return status === 0 ? stdout : undefined
}
