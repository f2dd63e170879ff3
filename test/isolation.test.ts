// Tests never reach the sessions of the person who runs them, and this proves that the guard against it holds.

import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Platform } from '../src/agents/environment.ts'
import { agents } from '../src/agents/index.ts'
import { locationsOf } from '../src/agents/store.ts'
import { put, temporaryHome } from './support/home.ts'
import { olderNode } from './support/older-node.ts'

const GUARD = join(import.meta.dirname, 'support', 'guard.js')
const REFUSED = 'A test reached the real home'
// A name that is not there, so that a hole in the guard does no harm.
const REAL = join(userInfo().homedir, '.claude', 'rethread-isolation-test', 'nothing')

test('the home of a test is a temporary folder', () => {
  expect(homedir()).toBe(process.env['HOME'])
  expect(homedir().startsWith(tmpdir())).toBe(true)
  expect(homedir()).not.toBe(userInfo().homedir)
})

test('no variable is set that an agent looks at to find its store', () => {
  const names = agentSources().flatMap(text =>
    [...text.matchAll(/variable\(\w+, '(\w+)'\)/g)].map(match => match[1] ?? ''),
  )
  expect(names).toContain('CLAUDE_CONFIG_DIR')
  expect(names.filter(name => process.env[name] !== undefined)).toEqual([])
})

test('reading from the real home is refused in a test', async () => {
  expect(() => statSync(REAL)).toThrow(REFUSED)
  expect(() => existsSync(REAL)).toThrow(REFUSED)
  expect(() => realpathSync.native(REAL)).toThrow(REFUSED)
  expect(() => new DatabaseSync(REAL, { readOnly: true })).toThrow(REFUSED)
  expect(() => new DatabaseSync(pathToFileURL(REAL), { readOnly: true })).toThrow(REFUSED)
  await expect(async () => readFile(REAL)).rejects.toThrow(REFUSED)
})

test('every store of every agent is out of reach', () => {
  const { homedir: home } = userInfo()
  const platforms: Platform[] = ['linux', 'darwin', 'win32']
  const stores = agents.flatMap(agent =>
    platforms.flatMap(platform => locationsOf(agent, { home, platform, variables: {} })),
  )
  const paths = new Set(stores.map(({ location }) => resolve(location.path.replaceAll('\\', '/'))))
  expect([...paths].filter(path => !isRefused(path))).toEqual([])
})

function isRefused(path: string): boolean {
  try {
    statSync(path)
  } catch (error) {
    return error instanceof Error && error.message.includes(REFUSED)
  }
  return false
}

// Tried in a process of its own against a made-up real home: whatever is not refused does its harm there.
const ATTEMPTS = [
  'fs.readFileSync(path)',
  'fs.openSync(path, "w")',
  'fs.writeFileSync(path, "x")',
  'fs.appendFileSync(path, "x")',
  'fs.mkdirSync(path)',
  'fs.mkdtempSync(path)',
  'fs.rmSync(path, { force: true })',
  'fs.unlinkSync(path)',
  'fs.truncateSync(path)',
  'fs.chmodSync(path, 0o600)',
  'fs.utimesSync(path, 0, 0)',
  'fs.existsSync(path)',
  'fs.accessSync(path)',
  'fs.lstatSync(path)',
  'fs.readlinkSync(path)',
  'fs.readdirSync(path)',
  'fs.opendirSync(path)',
  'fs.realpathSync(path)',
  'fs.realpathSync.native(path)',
  'fs.renameSync(other, path)',
  'fs.copyFileSync(other, path)',
  'fs.cpSync(other, path)',
  'fs.linkSync(other, path)',
  'fs.symlinkSync(other, path)',
  'fs.statSync(Buffer.from(path))',
  'fs.statSync(pathToFileURL(path))',
  'fs.statSync(relative(process.cwd(), path))',
  'fs.readFile(path, () => {})',
  'fs.writeFile(path, "x", () => {})',
  'fs.rm(path, () => {})',
  'fs.open(path, () => {})',
  'fs.realpath.native(path, () => {})',
  'fs.createReadStream(path)',
  'fs.createWriteStream(path)',
  'new fs.WriteStream(path)',
  'fs.watch(path)',
  'await fs.promises.readFile(path)',
  'await fs.promises.writeFile(path, "x")',
  'await fs.promises.rename(other, path)',
  'await promises.open(path, "w")',
  'await promises.rm(path, { force: true })',
  'await promises.mkdir(path)',
  'await namedReadFile(path)',
  'named(path)',
  'createRequire(path)("fs").readFileSync(path)',
  'new DatabaseSync(path)',
  'new DatabaseSync(Buffer.from(path))',
  'new DatabaseSync(pathToFileURL(path))',
  'new DatabaseSync("file:" + path + "?mode=rwc")',
  'await backup(new DatabaseSync(":memory:"), path)',
]

test('a Node that a test starts is guarded in all ways of touching a file', async () => {
  const fake = temporaryHome()
  const elsewhere = temporaryHome()
  mkdirSync(join(fake, '.claude'))
  put(elsewhere, 'other', 'x')
  const script = put(elsewhere, 'attempts.mjs', attemptScript(join(fake, '.claude', 'file'), join(elsewhere, 'other')))
  const env = { ...process.env, RETHREAD_TEST_REAL_HOMES: fake, TMPDIR: elsewhere }
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
  const outcomes: Record<string, string> = JSON.parse(stdout)
  expect(Object.keys(outcomes)).toEqual(ATTEMPTS)
  expect(Object.entries(outcomes).filter(([, outcome]) => !outcome.includes(REFUSED))).toEqual([])
  expect(readdirSync(join(fake, '.claude'))).toEqual([])
})

function attemptScript(path: string, other: string): string {
  const attempts = ATTEMPTS.map(code => `await attempt(${JSON.stringify(code)}, async () => { ${code} })`)
  return `
    import fs, { readFileSync as named } from 'node:fs'
    import promises, { readFile as namedReadFile } from 'node:fs/promises'
    import { createRequire } from 'node:module'
    import { relative } from 'node:path'
    import { backup, DatabaseSync } from 'node:sqlite'
    import { pathToFileURL } from 'node:url'
    const path = ${JSON.stringify(path)}
    const other = ${JSON.stringify(other)}
    const outcomes = {}
    async function attempt(name, action) {
      try { await action(); outcomes[name] = 'not refused' } catch (error) { outcomes[name] = error.message }
    }
    ${attempts.join('\n')}
    process.stdout.write(JSON.stringify(outcomes))
    process.exit(0)`
}

test('the guard is handed on to workers and to the processes of processes', async () => {
  const code = `try { require('node:fs').statSync(${JSON.stringify(REAL)}); console.log('not refused') } catch (error) { console.log(error.message) }`
  const file = JSON.stringify(put(temporaryHome(), 'touch.cjs', code))
  const inWorker = `new (require('node:worker_threads').Worker)(${file})`
  const inGrandchild = `console.log(require('node:child_process').execFileSync(process.execPath, [${file}]).toString())`
  for (const script of [inWorker, inGrandchild]) {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script])
    expect(stdout).toContain(REFUSED)
  }
})

test('the temporary home, the checkout and databases in memory are open', () => {
  expect(existsSync(join(homedir(), '.claude'))).toBe(false)
  expect(existsSync(dirname(GUARD))).toBe(true)
  expect(new DatabaseSync(':memory:').prepare('SELECT 1 AS one').get()).toEqual({ one: 1 })
})

const older = olderNode()
test.skipIf(older === undefined)(
  `an old Node is guarded too${older === undefined ? ' (there is none on this machine)' : ''}`,
  () => {
    const run = spawnSync(older ?? '', ['-e', `require('node:fs').statSync(${JSON.stringify(REAL)})`], {
      encoding: 'utf8',
    })
    expect(run.stderr).toContain(REFUSED)
  },
)

function agentSources(): string[] {
  const folder = join(import.meta.dirname, '..', 'src', 'agents')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
}

test('what test files share has no hooks of its own: files share a process, and a module is loaded for the first alone', () => {
  const shared = ['test', 'src', 'bench'].flatMap(name => {
    const folder = join(import.meta.dirname, '..', name)
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path))
  })
  const modules = shared.filter(path => /(?<!\.test)\.ts$/.test(path) && !path.endsWith(join('support', 'setup.ts')))
  expect(modules.length).toBeGreaterThan(500)
  const hooks = modules.filter(path => /^(?:before|after)(?:All|Each)\(/m.test(readFileSync(path, 'utf8')))
  expect(hooks).toEqual([])
})
