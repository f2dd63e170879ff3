import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { RECORDINGS, recordedHome } from '../../test/support/recorded.ts'
import { type Context, makeContext } from '../catalog/context.ts'
import { undoRepair } from '../repair/undo.ts'
import { type Diagnosis, runDoctor } from './doctor.ts'
import { applyFixes, planMoves, planRelinks } from './fix.ts'
import { inspectAll } from './inspect.ts'
import { doctorReportSchema } from './report.ts'

/** The folder in which all of them were recorded. */
const RECORDED = '/home/dev/shop'
const NAMES = RECORDINGS.filter(name => /^(?:claude-code|codex|gemini-cli|opencode)-/.test(name))

/** A recorded session, moved to a project that exists. */
async function prepare(name: string) {
  const home = recordedHome(name)
  const folder = join(temporaryHome(), 'shop')
  mkdirSync(folder)
  const context = makeContext({ home, state: join(temporaryHome(), 'state'), logLevel: 'silent' })
  await move(context, RECORDED, folder)
  return { home, folder, context }
}

async function move(context: Context, from: string, to: string) {
  const results = await applyFixes(context, await planMoves(await inspectAll(context), { from, to }), { force: true })
  expect(results.flatMap(({ error }) => error ?? [])).toEqual([])
  return results
}

async function fix(context: Context, { inspected, moves }: Diagnosis) {
  const results = await applyFixes(context, await planRelinks(inspected), { force: true })
  for (const { from, to } of moves) results.push(...(await move(context, from, to)))
  return results
}

function hashesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = files
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !/-(?:wal|shm)$|\.(?:db|sqlite)$/.test(path))
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
  return Object.fromEntries(paths.map(path => [relative(folder, path), hash(path)]).sort())
}

const runGit = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', ...args], {
    cwd: folder,
    stdio: 'pipe',
  })

const lost = ({ report }: Diagnosis) => report.findings.filter(({ severity }) => severity === 'lost')

test.each(NAMES)('%s: a moved folder is listed at its new path, and an undo puts every byte back', async name => {
  const home = recordedHome(name)
  const before = hashesIn(home)
  const folder = join(temporaryHome(), 'store')
  mkdirSync(folder)
  const context = makeContext({ home, state: join(temporaryHome(), 'state'), logLevel: 'silent' })
  const results = await move(context, RECORDED, folder)
  expect(results.map(({ receipt }) => receipt)).toEqual([expect.any(String)])
  const diagnosis = await runDoctor(context)
  expect(doctorReportSchema.parse(diagnosis.report)).toEqual(diagnosis.report)
  expect(lost(diagnosis)).toEqual([])
  const listed = diagnosis.report.sessions.filter(({ state }) => state === 'listed')
  // A hash has no way back to the path.
  if (!name.startsWith('gemini-cli-0.20'))
    expect(new Set(listed.map(session => session.folder))).toEqual(new Set([folder]))
  for (const { receipt } of results) await undoRepair(context, receipt ?? '', { force: true })
  expect(hashesIn(home)).toEqual(before)
})

test('a renamed folder is found by its times, reported once, and fixed', async () => {
  const { context, folder } = await prepare('claude-code-2.1.325')
  const renamed = join(dirname(folder), 'store')
  renameSync(folder, renamed)
  const found = await runDoctor(context)
  expect(lost(found)).toMatchObject([{ kind: 'folder-moved', folder: { from: folder, to: renamed }, isFixable: true }])
  await fix(context, found)
  expect(lost(await runDoctor(context))).toEqual([])
})

test('a folder that an earlier run saw is recognised by its inode, wherever its neighbours are', async () => {
  const { context, folder } = await prepare('codex-0.166.0')
  await runDoctor(context)
  const away = join(dirname(folder), 'archive', 'old')
  mkdirSync(away, { recursive: true })
  renameSync(folder, join(away, 'shop'))
  mkdirSync(join(dirname(folder), 'shop-2'))
  expect((await runDoctor(context)).report.findings).toMatchObject([{ kind: 'folder-gone', severity: 'notice' }])
  renameSync(join(away, 'shop'), join(dirname(folder), 'elsewhere'))
  const [finding] = lost(await runDoctor(context))
  expect(finding?.evidence).toEqual(['It is the same folder: an earlier run saw the same inode at the old path.'])
})

test('a folder in which sessions were held at the same time is not the moved one', async () => {
  const { context, folder, home } = await prepare('claude-code-2.1.325')
  const [log = ''] = readdirSync(join(home, '.claude/projects'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.jsonl') && !entry.parentPath.includes('subagents'))
    .map(entry => join(entry.parentPath, entry.name))
  const sibling = join(dirname(folder), 'blog')
  mkdirSync(sibling)
  const copy = join(dirname(dirname(log)), sibling.replace(/[^a-zA-Z0-9-]/g, '-'), basename(log))
  mkdirSync(dirname(copy))
  cpSync(log, copy, { preserveTimestamps: true })
  writeFileSync(copy, readFileSync(copy, 'utf8').replaceAll(JSON.stringify(folder), JSON.stringify(sibling)))
  rmSync(folder, { recursive: true })
  expect(lost(await runDoctor(context))).toEqual([])
})

test('a git worktree that was moved by hand is known to its repository by the old path', async () => {
  const { context, folder } = await prepare('codex-0.166.0')
  const main = join(dirname(folder), 'main')
  rmSync(folder, { recursive: true })
  runGit(dirname(folder), 'init', '-q', main)
  runGit(main, 'commit', '-q', '--allow-empty', '-m', 'First')
  runGit(main, 'worktree', 'add', '-q', folder)
  const moved = join(dirname(folder), 'shop-feature')
  renameSync(folder, moved)
  const [finding] = lost(await runDoctor(context))
  expect(finding).toMatchObject({
    folder: { to: moved },
    evidence: ['Its repository knows this git worktree by the old path.'],
  })
})

test('of two folders whose names are encoded alike, only the sessions of the moved one go along', async () => {
  const { context, folder, home } = await prepare('claude-code-2.1.325')
  const projects = join(home, '.claude/projects')
  const [name = ''] = readdirSync(projects)
  const other = `${folder.slice(0, -5)}.shop`
  const line = {
    type: 'user',
    cwd: other,
    sessionId: 'b',
    uuid: 'b',
    parentUuid: null,
    message: { role: 'user', content: 'Hi' },
  }
  const stays = join(projects, name, '00000000-0000-4000-8000-00000000000b.jsonl')
  writeFileSync(stays, `${JSON.stringify(line)}\n`)
  const log = readdirSync(join(projects, name)).find(file => file.endsWith('.jsonl') && file !== basename(stays)) ?? ''
  const modified = statSync(join(projects, name, log)).mtimeMs
  await move(context, folder, `${folder}-2`)
  expect(existsSync(stays)).toBe(true)
  const to = join(projects, `${name}-2`, log)
  expect(readFileSync(to, 'utf8')).toContain(`"cwd":${JSON.stringify(`${folder}-2`)}`)
  expect(Math.abs(statSync(to).mtimeMs - modified)).toBeLessThan(1)
})

test('a session in the folder of another project goes back, and a project below the old folder goes along', async () => {
  const { context, folder, home } = await prepare('claude-code-2.1.325')
  const projects = join(home, '.claude/projects')
  const [name = ''] = readdirSync(projects)
  renameSync(join(projects, name), join(projects, '-home-dev-blog'))
  const found = await runDoctor(context)
  expect(lost(found)).toMatchObject([{ reason: 'wrong-project', agent: 'claude-code' }])
  await fix(context, found)
  expect(lost(await runDoctor(context))).toEqual([])
  await move(context, dirname(folder), join(dirname(folder), '..', 'tree'))
  expect(readdirSync(projects)).toContain(
    `${join(dirname(folder), '..', 'tree', 'shop').replace(/[^a-zA-Z0-9-]/g, '-')}`,
  )
})

test('.claude.json gets the new key, and a sibling with the same beginning keeps its own', async () => {
  const { context, folder, home } = await prepare('claude-code-2.1.325')
  const file = join(home, '.claude.json')
  const state = (at: string) =>
    JSON.stringify({ projects: { [at]: { allowedTools: ['a'] }, [`${folder}-2`]: {} } }, null, 2)
  writeFileSync(file, state(folder))
  await move(context, folder, join(dirname(folder), 'store'))
  expect(readFileSync(file, 'utf8')).toBe(state(join(dirname(folder), 'store')))
})
