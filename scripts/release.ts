// npm run release -- minor: bumps the version, writes the changelog from its fragments, packs, commits and
// tags. Pushes and publishes nothing. Works in the current folder. On a failure everything is restored.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const BRANCH = 'main'
const CHANGELOG = 'CHANGELOG.md'
const FRAGMENTS = join('changelog', 'unreleased')
const USAGE = 'npm run release -- patch|minor|major|X.Y.Z [--dry-run]'
const WRITTEN = ['package.json', 'package-lock.json', CHANGELOG, FRAGMENTS]

/** Printed for the user, with a command to paste. */
class Refusal extends Error {
  readonly hint: string

  constructor(text: string, hint: string) {
    super(text)
    this.hint = hint
  }
}

interface Fragment {
  name: string
  lines: string[]
}

interface Manifest {
  name: string
  version: string
}

try {
  release()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`release: ${error.message}\n${error.hint}\n`)
  process.exitCode = 1
}

function release(): void {
  const { wanted, isDryRun } = parseCommandLine()
  const { name, version: current } = readManifest()
  assertClean()
  assertOnBranch()
  const fragments = readFragments()
  const version = nextVersion(current, wanted)
  const tag = `v${version}`
  assertNewTag(tag)
  const section = sectionFor(version, fragments)
  if (isDryRun) {
    say(`${name} ${current} would become ${version}, tagged ${tag}. ${CHANGELOG} would get:\n\n${section}`)
    return
  }
  const packed = carryOut({ name, version, tag, section, fragments })
  say(`${name} ${version} is committed, tagged ${tag} and packed: ${packed}`)
  say(`Publish it: git push --follow-tags && npm publish ./${packed}`)
}

function parseCommandLine(): { wanted: string; isDryRun: boolean } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } })
    const [wanted, ...rest] = positionals
    if (wanted === undefined || rest.length > 0) throw new Refusal('Specify one version.', USAGE)
    // `npm run release minor --dry-run`: without `--` before it, npm keeps the option and sets this variable.
    return { wanted, isDryRun: values['dry-run'] === true || process.env['npm_config_dry_run'] === 'true' }
  } catch (error) {
    if (error instanceof TypeError) throw new Refusal(error.message, USAGE)
    throw error
  }
}

function readManifest(): Manifest {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
  if (typeof name === 'string' && typeof version === 'string') return { name, version }
  throw new Refusal('package.json has no name or no version.', 'See what it says: cat package.json')
}

function assertClean(): void {
  const changes = git('status', '--porcelain').trimEnd()
  if (changes === '') return
  throw new Refusal(
    `The working tree has changes that are not committed:\n${changes}`,
    'Commit them, or put them aside: git stash --include-untracked',
  )
}

function assertOnBranch(): void {
  const branch = git('branch', '--show-current').trim()
  if (branch === BRANCH) return
  const where = branch === '' ? 'No branch is checked out' : `The branch is ${branch}`
  throw new Refusal(`${where}; releases are made from ${BRANCH}.`, `git switch ${BRANCH}`)
}

function assertNewTag(tag: string): void {
  if (git('tag', '--list', tag).trim() === '') return
  throw new Refusal(
    `The tag ${tag} exists already.`,
    `See what it is: git show ${tag}\nSpecify another version: ${USAGE}`,
  )
}

/** Sorted by name. */
function readFragments(): Fragment[] {
  const names = existsSync(FRAGMENTS) ? readdirSync(FRAGMENTS).filter(name => name.endsWith('.md')) : []
  if (names.length === 0)
    throw new Refusal(
      `There are no fragments in ${FRAGMENTS}: nothing that a user would notice has changed.`,
      'How to write one: see "Changelog" in CONTRIBUTING.md',
    )
  return names.sort().map(readFragment)
}

function readFragment(name: string): Fragment {
  const path = join(FRAGMENTS, name)
  const lines = readFileSync(path, 'utf8').trim().split(/\r?\n/)
  const problem = lines.some(line => line.trim() === '')
    ? 'is empty, or has more than one paragraph'
    : lines.some(line => /^\s*([#>*+-]|\d+\.)\s/.test(line))
      ? 'has a heading or a list in it'
      : undefined
  if (problem === undefined) return { name, lines }
  throw new Refusal(`${path} ${problem}. A fragment is one plain paragraph.`, `Edit it: $EDITOR ${path}`)
}

function nextVersion(current: string, wanted: string): string {
  const now = parseVersion(current)
  if (now === undefined)
    throw new Refusal(
      `The version ${current} in package.json is not of the form X.Y.Z.`,
      'Correct it: npm pkg set version=X.Y.Z',
    )
  const [major, minor, patch] = now
  switch (wanted) {
    case 'major':
      return `${major + 1}.0.0`
    case 'minor':
      return `${major}.${minor + 1}.0`
    case 'patch':
      return `${major}.${minor}.${patch + 1}`
    default: {
      const named = parseVersion(wanted)
      if (named === undefined) throw new Refusal(`"${wanted}" is not a version.`, USAGE)
      // The current version is accepted while it has no tag: the first release.
      if (compare(named, now) < 0) throw new Refusal(`${wanted} is older than ${current}.`, USAGE)
      return wanted
    }
  }
}

type Version = [major: number, minor: number, patch: number]

function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(text) ?? []
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

function sectionFor(version: string, fragments: readonly Fragment[]): string {
  const items = fragments.map(({ lines }) => `- ${lines.join('\n  ')}\n`)
  return `## ${version} (${new Date().toISOString().slice(0, 10)})\n\n${items.join('')}`
}

/** Inserts it above the existing sections. */
function withSection(changelog: string, section: string): string {
  const at = changelog.search(/^## /m)
  if (at === -1) return `${changelog.trimEnd()}\n\n${section}`
  return `${changelog.slice(0, at)}${section}\n${changelog.slice(at)}`
}

interface Release extends Manifest {
  tag: string
  section: string
  fragments: readonly Fragment[]
}

/** Returns the name of the packed file. */
function carryOut({ name, version, tag, section, fragments }: Release): string {
  const before = git('rev-parse', 'HEAD').trim()
  // Listed before the commit: git no longer knows removed files afterwards.
  const written = WRITTEN.filter(path => git('ls-files', '--', path) !== '')
  let packed: string | undefined
  try {
    npm('version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts')
    writeFileSync(CHANGELOG, withSection(readFileSync(CHANGELOG, 'utf8'), section))
    for (const fragment of fragments) rmSync(join(FRAGMENTS, fragment.name))
    packed = pack()
    git('add', '--all', '--', ...written)
    git('commit', '--quiet', '--message', `release: ${version}`)
    git('tag', '--annotate', tag, '--message', `${name} ${version}`)
    return packed
  } catch (error) {
    git('reset', '--quiet', '--soft', before)
    git('restore', '--source', before, '--staged', '--worktree', '--', ...written)
    if (packed !== undefined) rmSync(packed, { force: true })
    const reason = error instanceof Error ? error.message : String(error)
    throw new Refusal(`${reason}\nNothing was released, and everything is as it was.`, `Then try again: ${USAGE}`)
  }
}

function pack(): string {
  // The output of the build comes before the file name.
  const file = npm('pack', '--loglevel=error').trim().split('\n').at(-1) ?? ''
  if (existsSync(file)) return file
  throw new Refusal(`npm pack made no file (${file}).`, 'See what it says: npm pack')
}

function git(...args: string[]): string {
  return run('git', args)
}

function npm(...args: string[]): string {
  return run('npm', args)
}

function run(command: string, args: string[]): string {
  try {
    // On Windows npm is a script and needs a shell. None of its arguments needs quoting.
    const shell = command === 'npm' && process.platform === 'win32'
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], shell })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new Refusal(
      `${command} ${args.join(' ')} failed${said === '' ? '' : `: ${said}`}`,
      `Try it: ${command} ${args.join(' ')}`,
    )
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
