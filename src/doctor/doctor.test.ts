import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { fix, lost, move, prepare } from '../../test/support/moved-folders.ts'
import { undoRepair } from '../repair/undo.ts'
import { runDoctor } from './doctor.ts'

const logsIn = (home: string) =>
  readdirSync(join(home, '.claude/projects'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.jsonl') && !entry.parentPath.includes('subagents'))
    .map(entry => join(entry.parentPath, entry.name))

const OTHER = '00000000-0000-4000-8000-00000000000c'

const runGit = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', ...args], {
    cwd: folder,
    stdio: 'pipe',
  })

test('a folder that has the files of the conversations under another name is found, and fixed', async () => {
  const { context, folder, home } = await prepare('claude-code-2.1.325')
  const [log = ''] = logsIn(home)
  const said = {
    type: 'user',
    cwd: folder,
    sessionId: 'x',
    message: { role: 'user', content: 'See\ncart.js and src/vat.js.' },
  }
  writeFileSync(log, `${readFileSync(log, 'utf8')}${JSON.stringify(said)}\n`)
  const renamed = join(dirname(folder), 'store')
  for (const place of [folder, join(dirname(folder), 'blog')]) {
    mkdirSync(join(place, 'src'), { recursive: true })
    writeFileSync(join(place, 'cart.js'), '')
  }
  writeFileSync(join(folder, 'src/vat.js'), '')
  renameSync(folder, renamed)
  const found = await runDoctor(context)
  expect(lost(found)).toMatchObject([{ kind: 'folder-moved', folder: { from: folder, to: renamed }, isFixable: true }])
  expect(lost(found)[0]?.evidence[0]).toContain('cart.js, src/vat.js')
  await fix(context, found)
  expect(lost(await runDoctor(context))).toEqual([])
})

test('a folder that is known only by its name and times is named with the command, and not fixed', async () => {
  const { context, folder } = await prepare('claude-code-2.1.325')
  const renamed = join(dirname(folder), 'store')
  renameSync(folder, renamed)
  const found = await runDoctor(context)
  expect(lost(found)).toMatchObject([
    { kind: 'folder-moved', isFixable: false, command: `rethread move ${folder} ${renamed}` },
  ])
  expect(found.moves).toEqual([])
})

test('two folders with the same files are no proof', async () => {
  const { context, folder, home } = await prepare('claude-code-2.1.325')
  const [log = ''] = logsIn(home)
  const said = { type: 'user', cwd: folder, message: { role: 'user', content: 'See cart.js and vat.js' } }
  writeFileSync(log, `${readFileSync(log, 'utf8')}${JSON.stringify(said)}\n`)
  for (const name of ['cart.js', 'vat.js']) writeFileSync(join(folder, name), '')
  cpSync(folder, join(dirname(folder), 'copy'), { recursive: true })
  renameSync(folder, join(dirname(folder), 'store'))
  expect((await runDoctor(context)).moves).toEqual([])
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
  const [log = ''] = logsIn(home)
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
  // This version continues it as long as its own project has no session.
  const risk = { reason: 'wrong-project', agent: 'claude-code', isFixable: true }
  expect((await runDoctor(context)).report).toMatchObject({
    findings: [{ ...risk, severity: 'warning' }],
    totals: { lost: 0 },
  })
  const line = {
    type: 'user',
    cwd: folder,
    sessionId: OTHER,
    uuid: OTHER,
    parentUuid: null,
    message: { role: 'user', content: 'Hi' },
  }
  mkdirSync(join(projects, name))
  writeFileSync(join(projects, name, `${OTHER}.jsonl`), `${JSON.stringify(line)}\n`)
  const found = await runDoctor(context)
  expect(lost(found)).toMatchObject([risk])
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

test('a registry that is not JSON is a notice, and the sessions stay listed', async () => {
  const { context, home } = await prepare('gemini-cli-0.61.0')
  for (const bytes of ['', '{"projects":{"/ho']) {
    writeFileSync(join(home, '.gemini/projects.json'), bytes)
    expect((await runDoctor(context)).report).toMatchObject({
      failures: [],
      findings: [{ kind: 'broken-index', severity: 'notice', agent: 'gemini-cli' }],
      totals: { lost: 0 },
    })
  }
})

test('an empty log of a resume, because of which the agent deletes the session, is set aside, and no other', async () => {
  const { context, home } = await prepare('gemini-cli-0.61.0')
  const log = globSync(join(home, '.gemini/tmp/*/chats/*.jsonl'))[0] ?? ''
  const [header = '', ...rest] = readFileSync(log, 'utf8').split('\n')
  const message = (text: string) => ({ id: 'a', type: 'user', content: [{ text }] })
  const set = (text: string) => JSON.stringify({ $set: { messages: [message(text)] } })
  const copy = log.replace(/T\d\d-\d\d/, 'T23-59')
  writeFileSync(copy, `${header}\n${set('<session_context>\nThe folder is empty.')}\n${set('Hi')}\n`)
  expect((await runDoctor(context)).report.findings).toEqual([])
  writeFileSync(copy, `${header}\n${set('<session_context>\nThe folder is empty.')}\n`)
  const found = await runDoctor(context)
  expect(found.report.findings).toMatchObject([
    { severity: 'warning', reason: 'empty-copy', isFixable: true, command: `rethread relink ${log}` },
  ])
  const [result] = await fix(context, found)
  expect([existsSync(copy), readFileSync(log, 'utf8')]).toEqual([false, [header, ...rest].join('\n')])
  expect((await runDoctor(context)).report.findings).toEqual([])
  await undoRepair(context, result?.receipt ?? '', { force: true })
  expect(existsSync(copy)).toBe(true)
})
