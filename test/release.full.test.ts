// scripts/release.ts in git repositories of its own, with the real git and npm.
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from './support/home.ts'
import { environmentForNpm } from './support/npm.ts'

const ROOT = join(import.meta.dirname, '..')
const SCRIPT = join(ROOT, 'scripts', 'release.ts')
const MANIFEST = { name: 'thing', version: '0.1.0', files: ['CHANGELOG.md'] }
const OLD = '# Changelog\n\n## 0.1.0 (2026-01-01)\n\n- The first one.\n'
const PERSON = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_CONFIG_NOSYSTEM: '1',
}

function makeRepository(manifest: object = MANIFEST) {
  const root = temporaryHome()
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...PERSON }, stdio: 'pipe' }).trim()
  const commit = (): void => {
    git('add', '--all')
    git('commit', '--quiet', '--message', 'all')
  }
  git('init', '--quiet', '--initial-branch', 'main')
  put(root, 'package.json', `${JSON.stringify(manifest, null, 2)}\n`)
  const lock = { name: 'thing', version: '0.1.0', lockfileVersion: 3, requires: true, packages: { '': MANIFEST } }
  put(root, 'package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
  put(root, '.gitignore', '*.tgz\n')
  put(root, 'CHANGELOG.md', OLD)
  put(root, 'changelog/unreleased/vault-copies.md', 'Copies were lost.\nThey are kept.\n')
  put(root, 'changelog/unreleased/check-roots.md', 'A second root is found.\n')
  commit()
  const run = (args: string[], env: Record<string, string> = {}) =>
    new Promise<{ status: number; stdout: string; stderr: string }>(resolve => {
      const options = { cwd: root, env: { ...environmentForNpm(), ...PERSON, ...env } }
      execFile(process.execPath, [SCRIPT, ...args], options, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
      )
    })
  const read = (name: string): string => readFileSync(join(root, name), 'utf8')
  /** Everything that a release may change. */
  const state = () => ({
    head: git('rev-parse', 'HEAD'),
    tags: git('tag'),
    status: git('status', '--porcelain'),
    manifest: read('package.json'),
    lock: read('package-lock.json'),
    changelog: read('CHANGELOG.md'),
    packed: readdirSync(root).filter(name => name.endsWith('.tgz')),
  })
  return { root, git, commit, run, read, state }
}

const SECTION =
  /^## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- A second root is found\.\n- Copies were lost\.\n {2}They are kept\.\n/m

test('a release bumps the version, writes the changelog, commits, tags and packs', async () => {
  const { root, git, run, read } = makeRepository()
  const { status, stdout, stderr } = await run(['minor'])
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('git push --follow-tags && npm publish ./thing-0.2.0.tgz')
  expect(JSON.parse(read('package.json'))).toEqual({ ...MANIFEST, version: '0.2.0' })
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({
    version: '0.2.0',
    packages: { '': { version: '0.2.0' } },
  })
  expect(read('CHANGELOG.md')).toMatch(SECTION)
  expect(read('CHANGELOG.md').replace(SECTION, '').replace('\n\n\n', '\n\n')).toBe(OLD)
  expect(existsSync(join(root, 'changelog/unreleased/check-roots.md'))).toBe(false)
  expect(git('log', '-1', '--format=%s')).toBe('release: 0.2.0')
  expect(git('cat-file', '-t', 'v0.2.0')).toBe('tag')
  expect(git('rev-parse', 'v0.2.0^{commit}')).toBe(git('rev-parse', 'HEAD'))
  expect(git('status', '--porcelain')).toBe('')
  const inside = execFileSync('tar', ['-xzOf', 'thing-0.2.0.tgz', 'package/CHANGELOG.md'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(inside).toBe(read('CHANGELOG.md'))
})

test('the second release has only what came after the first', async () => {
  const { root, commit, run, read } = makeRepository()
  expect((await run(['minor'])).status).toBe(0)
  put(root, 'changelog/unreleased/third.md', 'A third change.\n')
  commit()
  expect((await run(['patch'])).status).toBe(0)
  expect(read('CHANGELOG.md')).toMatch(/^# Changelog\n\n## 0\.2\.1 \(.*\)\n\n- A third change\.\n\n## 0\.2\.0 /)
})

test.each([
  [['--dry-run', 'minor'], {}],
  [['minor', '--dry-run'], {}],
  // What is left of `npm run release minor --dry-run`.
  [['minor'], { npm_config_dry_run: 'true' }],
])('%j with %j says what would be done, and changes nothing', async (args, env: Record<string, string>) => {
  const { run, state } = makeRepository()
  const before = state()
  const { status, stdout } = await run(args, env)
  expect(status).toBe(0)
  expect(stdout).toContain('thing 0.1.0 would become 0.2.0, tagged v0.2.0')
  expect(stdout).toMatch(SECTION)
  expect(state()).toEqual(before)
})

test.each([
  ['major', '1.0.0'],
  ['patch', '0.1.1'],
  ['0.10.0', '0.10.0'],
  ['0.1.0', '0.1.0'],
])('%s makes of 0.1.0 version %s', async (wanted, version) => {
  const { run } = makeRepository()
  expect((await run([wanted, '--dry-run'])).stdout).toContain(`would become ${version}, tagged v${version}`)
})

type Repository = ReturnType<typeof makeRepository>

const REFUSALS: [string, (repository: Repository) => void, RegExp, string[]?][] = [
  ['a changed file', ({ root }) => put(root, 'CHANGELOG.md', 'x'), /not committed:\n M CHANGELOG\.md\n.*git stash/],
  ['a file that git does not know', ({ root }) => put(root, 'new.txt', 'x'), /not committed:\n\?\? new\.txt/],
  ['another branch', ({ git }) => git('switch', '--quiet', '--create', 'other'), /branch is other;.*\ngit switch main/],
  ['no branch', ({ git }) => git('switch', '--quiet', '--detach'), /No branch is checked out/],
  [
    'no fragments',
    ({ root, commit }) => {
      rmSync(join(root, 'changelog'), { recursive: true })
      commit()
    },
    /no fragments.*\n.*CONTRIBUTING\.md/,
  ],
  ['a tag that exists', ({ git }) => git('tag', 'v0.2.0'), /tag v0\.2\.0 exists already/],
  ...(
    [
      ['an empty fragment', '\n', /empty, or has more than one paragraph/],
      ['a fragment of two paragraphs', 'One.\n\nTwo.\n', /more than one paragraph/],
      ['a fragment with a heading', '# One\nTwo.\n', /a heading or a list/],
      ['a fragment with a list', 'One:\n- two\n', /a heading or a list/],
    ] as const
  ).map(([name, text, says]): [string, (repository: Repository) => void, RegExp] => [
    name,
    ({ root, commit }) => {
      put(root, 'changelog/unreleased/wrong.md', text)
      commit()
    },
    says,
  ]),
  ['no version', () => {}, /Specify one version/, []],
  ['two versions', () => {}, /Specify one version/, ['minor', 'patch']],
  ['a version that is none', () => {}, /"big" is not a version/, ['big']],
  ['a version that is older', () => {}, /0\.0\.9 is older than 0\.1\.0/, ['0.0.9']],
  ['an option that does not exist', () => {}, /--force/, ['minor', '--force']],
]

test.each(REFUSALS)('%s is refused, and nothing is changed', async (_, arrange, says, args = ['minor']) => {
  const repository = makeRepository()
  arrange(repository)
  const before = repository.state()
  const { status, stdout, stderr } = await repository.run(args)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^release: /)
  expect(stderr).toMatch(says)
  expect(repository.state()).toEqual(before)
})

test('where packing fails, everything is as it was', async () => {
  const { run, state } = makeRepository({ ...MANIFEST, scripts: { prepack: 'node -e "process.exit(3)"' } })
  const before = state()
  const { status, stderr } = await run(['minor'])
  expect(status).toBe(1)
  expect(stderr).toMatch(/npm pack.* failed[\s\S]*everything is as it was/)
  expect(state()).toEqual(before)
})

test.each([['pre-commit'], ['reference-transaction']])('where %s of git fails, everything is as it was', async hook => {
  const { root, run, state } = makeRepository()
  // The second refuses nothing but the tag.
  const text = hook === 'pre-commit' ? 'exit 1' : '[ "$1" != prepared ] || ! grep -q refs/tags/'
  chmodSync(put(root, `.git/hooks/${hook}`, `#!/bin/sh\n${text}\n`), 0o755)
  const before = state()
  const { status, stderr } = await run(['minor'])
  expect(status).toBe(1)
  expect(stderr).toMatch(/git (commit|tag) .* failed[\s\S]*everything is as it was/)
  expect(state()).toEqual(before)
})

test('the fragments of this checkout can be released', async () => {
  const { root, commit, run } = makeRepository()
  const own = join(ROOT, 'changelog')
  if (existsSync(own)) cpSync(own, join(root, 'changelog'), { recursive: true })
  cpSync(join(ROOT, 'CHANGELOG.md'), join(root, 'CHANGELOG.md'))
  commit()
  const { status, stdout } = await run(['minor', '--dry-run'])
  expect(status).toBe(0)
  const items = readdirSync(join(root, 'changelog', 'unreleased'))
  expect(stdout.match(/^- /gm)).toHaveLength(items.length)
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(102)
})
