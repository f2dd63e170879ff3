// Runs git with every setting disabled by which a repository could start programs: its settings come with the
// folder.
import { type FoundProgram, program, textValue, type Value, type Words, words } from '../../model/program.ts'
import type { Variables } from './find-command.ts'
import { locateProgram, runProgram } from './start-program.ts'

/**
 * Settings of a repository that would start a program on reading, or lead to another place. A bare repository
 * inside the tree of another is not entered: it comes with a clone, together with its settings.
 */
const SAFE = words(
  '--no-pager',
  '--no-optional-locks',
  ...(['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.pager=cat'] as const),
  ...(['-c', 'core.alternateRefsCommand=', '-c', 'core.sshCommand=false', '-c', 'core.askPass='] as const),
  ...(['-c', 'core.gitProxy=', '-c', 'credential.helper=', '-c', 'diff.external='] as const),
  ...(['-c', 'safe.bareRepository=explicit', '-c', 'protocol.allow=never', '-c', 'submodule.recurse=false'] as const),
  ...(['-c', 'core.quotePath=false', '-c', 'color.ui=false'] as const),
  ...(['-c', 'diff.mnemonicPrefix=false', '-c', 'diff.noprefix=false'] as const),
)

/** These variables would lead to another repository, or make git start a program. */
const REDIRECTS_GIT = /^GIT_/i

/** Undefined where git is not installed. */
export function gitProgram(
  list: Words,
  variables: Variables,
  settings: readonly ('-c' | Value)[] = [],
): FoundProgram | undefined {
  return locateProgram(program('git', words(SAFE, ...settings, list)), '/', variables)
}

/** Nothing is fetched: a lazy clone would run the program that its settings name for the connection. */
export function gitEnvironment(variables: Variables): Record<string, string> {
  const kept = Object.entries(variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !REDIRECTS_GIT.test(entry[0]),
  )
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    LC_ALL: 'C',
  }
}

/** The input of `withoutFilters`: every filter setting with its scope. Exits with 1 where there is none. */
export const LIST_FILTERS = words('config', '-z', '--show-scope', '--get-regexp', '^filter\\..*\\.[a-z]+$')

/** The scopes that the user has set for all repositories. */
const OWN_SCOPES = new Set(['system', 'global'])

/**
 * Options that disable the filters of the repository itself; filters that the user has set globally stay.
 * `listed` is the output of `LIST_FILTERS`. Undefined where a filter has a name that cannot be overridden.
 */
export function withoutFilters(listed: Buffer): ('-c' | Value)[] | undefined {
  const fields = listed.toString('utf8').split('\0')
  const own = new Map<string, string>()
  const foreign = new Set<string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope = '', setting = ''] = [fields[at], fields[at + 1]]
    const border = setting.indexOf('\n')
    const key = border === -1 ? setting : setting.slice(0, border)
    if (OWN_SCOPES.has(scope)) own.set(key, border === -1 ? 'true' : setting.slice(border + 1))
    else foreign.add(key)
  }
  if ([...foreign].some(key => key.includes('='))) return undefined
  return [...foreign].flatMap(key => ['-c' as const, textValue(`${key}=${own.get(key) ?? valueOfNone(key)}`)])
}

function valueOfNone(key: string): string {
  return key.endsWith('.required') ? 'false' : ''
}

const GIT_TIMEOUT_MS = 10_000

/**
 * One file as it was last committed. `path` is relative to `folder`. Undefined without git, a repository, a
 * commit, or such a file in it.
 */
export function readCommitted(folder: string, path: string, limitBytes: number): Buffer | undefined {
  return runGit(folder, words('cat-file', 'blob', textValue(`HEAD:./${path}`)), limitBytes)
}

/** The root commits of the current branch. Empty without git, a repository or a commit. */
export function readRootCommits(folder: string): string[] {
  const stdout = runGit(folder, words('rev-list', '--max-parents=0', 'HEAD'))
  return stdout?.toString('utf8').split('\n').filter(Boolean) ?? []
}

/** Whether the repository of the folder has this commit. */
export function hasCommit(folder: string, commit: string): boolean {
  return (
    /^[0-9a-f]{7,64}$/.test(commit) &&
    runGit(folder, words('cat-file', '-e', textValue(`${commit}^{commit}`))) !== undefined
  )
}

function runGit(folder: string, list: Words, maxBuffer = 1024 * 1024): Buffer | undefined {
  const git = gitProgram(list, process.env)
  if (git === undefined) return undefined
  const { status, stdout } = runProgram(git, {
    folder,
    env: gitEnvironment(process.env),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: GIT_TIMEOUT_MS,
    maxBuffer,
  })
  return status === 0 ? stdout : undefined
}
