import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { readCommitted } from '../../disk/processes/git.ts'
import { readBranches } from './branch.ts'
import { listChanges, listPatches } from './changes.ts'

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  execFileSync('git', ['-C', folder, ...identity, ...args], { stdio: 'ignore' })
}

/** On branch main, with one commit. */
function makeRepository(): string {
  const home = temporaryHome()
  git(home, 'init', '-b', 'main')
  put(home, 'kept.txt', 'one\ntwo\n')
  put(home, 'sub/gone.txt', 'x\n')
  put(home, '.gitignore', '*.log\n')
  git(home, 'add', '.')
  git(home, 'commit', '-m', 'first')
  return home
}

const asked = (folder: string, since: 'commit' | 'branch' = 'commit') => ({ folder, since, variables: process.env })

test('changed, deleted and new files are listed with their lines, and ignored ones are not', async () => {
  const home = makeRepository()
  put(home, 'kept.txt', 'one\n2\n3\n')
  rmSync(join(home, 'sub/gone.txt'))
  put(home, 'new ü.txt', 'a\nb\n')
  put(home, 'bytes', Buffer.from([0, 1]))
  put(home, 'a.log', '')
  expect(await listChanges(asked(home))).toEqual([
    { file: 'kept.txt', additions: 2, deletions: 1, status: 'modified' },
    { file: 'sub/gone.txt', additions: 0, deletions: 1, status: 'deleted' },
    { file: 'bytes', additions: 0, deletions: 0, status: 'added' },
    { file: 'new ü.txt', additions: 2, deletions: 0, status: 'added' },
  ])
  expect(await listChanges(asked(join(home, 'sub')))).toEqual([
    { file: 'gone.txt', additions: 0, deletions: 1, status: 'deleted' },
  ])
})

test('patches can be applied, those of new files too', async () => {
  const home = makeRepository()
  put(home, 'kept.txt', 'one\n2\ndiff --git a/x b/x\n')
  put(home, 'new.txt', 'no end')
  const patches = (await listPatches(asked(home))) ?? []
  expect(patches.map(({ file }) => file)).toEqual(['kept.txt', 'new.txt'])
  const patch = put(temporaryHome(), 'all.patch', patches.map(change => change.patch).join(''))
  rmSync(join(home, 'new.txt'))
  git(home, 'checkout', 'kept.txt')
  git(home, 'apply', patch)
  expect(await listPatches(asked(home))).toEqual(patches)
})

test('before the first commit everything is new', async () => {
  const home = temporaryHome()
  git(home, 'init', '-b', 'main')
  put(home, 'a', 'x\n')
  git(home, 'add', 'a')
  expect(await listChanges(asked(home))).toEqual([{ file: 'a', additions: 1, deletions: 0, status: 'added' }])
})

test('a branch is compared with where it left the main one', async () => {
  const home = makeRepository()
  git(home, 'checkout', '-b', 'topic')
  put(home, 'topic.txt', 'x\n')
  git(home, 'add', '.')
  git(home, 'commit', '-m', 'second')
  expect(await listChanges(asked(home))).toEqual([])
  expect(await listChanges(asked(home, 'branch'))).toEqual([
    { file: 'topic.txt', additions: 1, deletions: 0, status: 'added' },
  ])
})

test('a folder in no repository has no changes to speak of, and no branch', async () => {
  const home = temporaryHome()
  expect(await listChanges(asked(home))).toBeUndefined()
  expect(readBranches(home)).toEqual({})
})

test('without git nothing is said about changes', async () => {
  await expect(listChanges({ ...asked(makeRepository()), variables: { PATH: '/nowhere' } })).rejects.toMatchObject({
    code: 'unsupported',
  })
})

test('a monitor, a pager or a diff program that a repository names is not started', async () => {
  const home = makeRepository()
  const mark = join(home, 'started.log')
  for (const setting of ['core.fsmonitor', 'diff.external', 'core.pager'])
    git(home, 'config', setting, `touch ${mark};`)
  put(home, 'kept.txt', 'changed\n')
  expect(await listPatches(asked(home))).toHaveLength(1)
  expect(() => execFileSync('test', ['-e', mark])).toThrow()
})

test('the branch is read where git keeps it: above, in a second working tree, and nowhere while none is checked out', () => {
  const home = makeRepository()
  const tree = join(temporaryHome(), 'tree')
  expect(readBranches(join(home, 'sub'))).toEqual({ branch: 'main' })
  git(home, 'worktree', 'add', '-b', 'feature/x', tree)
  git(home, 'update-ref', 'refs/remotes/origin/trunk', 'HEAD')
  git(home, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
  expect(readBranches(tree)).toEqual({ branch: 'feature/x', default_branch: 'trunk' })
  git(home, 'checkout', '--detach')
  expect(readBranches(home)).toEqual({ default_branch: 'trunk' })
})

test('a pipe or a foreign text in place of the branch is none', () => {
  const home = temporaryHome()
  put(home, 'secret', 'ref: not a branch')
  put(home, 'a/.git/config', '')
  execFileSync('mkfifo', [join(home, 'a/.git/HEAD')])
  put(home, 'b/.git/config', '')
  symlinkSync(join(home, 'secret'), join(home, 'b/.git/HEAD'))
  put(home, 'c/.git', 'gitdir: /nowhere/at/all\n')
  expect(['a', 'b', 'c'].map(name => readBranches(join(home, name)))).toEqual([{}, {}, {}])
})

/** A program that a repository names, which leaves a mark when it is started. */
function marking(home: string): { mark: string; command: string } {
  const mark = join(home, 'started.log')
  return { mark, command: `touch ${mark}; cat` }
}

const wasStarted = (mark: string): boolean => existsSync(mark)

test.each(['clean', 'smudge', 'process'])('a filter that a repository names (%s) is not started', async kind => {
  const home = makeRepository()
  const { mark, command } = marking(home)
  put(home, '.gitattributes', '*.txt filter=evil\n*.md filter=e=vil\n')
  git(home, 'config', `filter.evil.${kind}`, command)
  git(home, 'config', 'filter.evil.required', 'true')
  put(home, 'kept.txt', 'changed\n')
  expect((await listPatches(asked(home)))?.map(({ file }) => file)).toContain('kept.txt')
  expect((await listChanges(asked(home)))?.map(({ file }) => file)).toContain('kept.txt')
  expect(wasStarted(mark)).toBe(false)
})

test('a filter that cannot be switched off keeps everything there from being compared', async () => {
  const home = makeRepository()
  const { mark, command } = marking(home)
  put(home, '.gitattributes', '*.txt filter=e=vil\n')
  git(home, 'config', 'filter.e=vil.clean', command)
  put(home, 'kept.txt', 'changed\n')
  await expect(listChanges(asked(home))).rejects.toMatchObject({ code: 'unsupported' })
  expect(wasStarted(mark)).toBe(false)
})

test("a filter of the person's own is kept, also where the repository names another program for it", async () => {
  const home = makeRepository()
  const { mark, command } = marking(home)
  const own = temporaryHome()
  put(own, '.gitconfig', '[filter "upper"]\n\tclean = tr a-z A-Z\n')
  put(home, '.gitattributes', '*.up filter=upper\n')
  put(home, 'a.up', 'LOUD\n')
  git(home, 'add', '.')
  git(home, 'commit', '-m', 'second')
  put(home, 'a.up', 'loud\n')
  git(home, 'config', 'filter.upper.clean', command)
  const { XDG_CONFIG_HOME: _, ...variables } = process.env
  expect(await listChanges({ ...asked(home), variables: { ...variables, HOME: own } })).toEqual([])
  expect(wasStarted(mark)).toBe(false)
})

test('a repository without a working tree inside another one is not entered', async () => {
  const home = makeRepository()
  const { mark, command } = marking(home)
  const inner = join(home, 'inner')
  execFileSync('git', ['init', '--bare', inner], { stdio: 'ignore' })
  git(inner, 'config', 'core.bare', 'false')
  git(inner, 'config', 'core.worktree', '..')
  for (const setting of ['core.fsmonitor', 'diff.external', 'core.sshCommand']) git(inner, 'config', setting, command)
  await listChanges(asked(inner)).catch(() => undefined)
  expect(wasStarted(mark)).toBe(false)
})

test('nothing is fetched that is missing, by whatever program the repository names for it', async () => {
  const home = makeRepository()
  const { mark, command } = marking(home)
  const blob = execFileSync('git', ['-C', home, 'rev-parse', 'HEAD:kept.txt'], { encoding: 'utf8' }).trim()
  rmSync(join(home, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true })
  for (const [name, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', 'ssh://example.invalid/x'],
    ['protocol.ssh.allow', 'always'],
    ['core.sshCommand', command],
  ] as const)
    git(home, 'config', name, value)
  put(home, 'kept.txt', 'changed\n')
  await listPatches(asked(home)).catch(() => undefined)
  expect(readCommitted(home, 'kept.txt', 1000)).toBeUndefined()
  expect(wasStarted(mark)).toBe(false)
})

test('a hook of the repository is not started', async () => {
  const home = makeRepository()
  const { mark, command } = marking(home)
  for (const name of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction'])
    chmodSync(put(home, `.git/hooks/${name}`, `#!/bin/sh\n${command}\n`), 0o755)
  git(home, 'config', 'core.hooksPath', join(home, '.git/hooks'))
  put(home, 'kept.txt', 'changed\n')
  expect(await listChanges(asked(home))).toHaveLength(1)
  expect(wasStarted(mark)).toBe(false)
})
