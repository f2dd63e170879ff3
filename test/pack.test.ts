// The package as people get it: packed, installed into an empty folder, and run there.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BUILT_PAGE } from './support/built-page.ts'
import { put, temporaryHome } from './support/home.ts'
import { environmentForNpm, npm } from './support/npm.ts'

const ROOT = join(import.meta.dirname, '..')
const MANIFEST: { version: string; scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
)
const PACKED = [
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'tsdown.config.ts',
  'tsconfig.json',
  'bin',
  'src',
]

let work: string
let installed: string
let packedFiles: string[]

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'rethread-pack-'))
  const tree = copyTree(join(work, 'tree'))
  await promisify(execFile)(process.execPath, [join(tree, 'node_modules', 'tsdown', 'dist', 'run.mjs')], { cwd: tree })
  // The page that `npm test` has built, and that the browser tests drive.
  cpSync(BUILT_PAGE, join(tree, 'dist', 'web'), { recursive: true })
  // Without scripts: the set-up that `npm run build` begins with belongs to a checkout, not to this copy.
  const [packed] = JSON.parse(await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', work], tree))
  packedFiles = packed.files.map((file: { path: string }) => file.path)
  installed = join(work, 'empty')
  mkdirSync(installed)
  await npm(['install', '--prefer-offline', '--no-audit', '--no-fund', join(work, packed.filename)], installed)
})

afterAll(() => rmSync(work, { recursive: true, force: true }))

/** A copy, so that building leaves the checkout alone. */
function copyTree(tree: string): string {
  for (const name of PACKED) cpSync(join(ROOT, name), join(tree, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  return tree
}

async function run(...args: string[]): Promise<string> {
  const command = join(installed, 'node_modules', '.bin', 'rethread')
  const { stdout } = await promisify(execFile)(command, args, { cwd: installed, env: environmentForNpm() })
  return stdout
}

test('packing builds first', () => {
  expect(MANIFEST.scripts['prepack']).toBe('npm run build')
  expect(MANIFEST.scripts['build']).toMatch(/tsdown && node scripts\/setup\.js --page$/)
})

test('the tarball holds built JavaScript, the documents, and nothing else', () => {
  const others = packedFiles.filter(path => !/^dist\/([\w-]+\.js|web\/.*)$/.test(path))
  expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'bin/rethread.js', 'package.json'])
  expect(packedFiles).toContain('dist/main.js')
  expect(packedFiles).toContain('dist/web/index.html')
})

test('commands are files of their own, so that starting one loads only it', () => {
  const main = readFileSync(join(installed, 'node_modules', 'rethread', 'dist', 'main.js'), 'utf8')
  expect(packedFiles.filter(path => path.startsWith('dist/')).length).toBeGreaterThan(5)
  expect(main).not.toMatch(/from ["'](pino|zod|node:sqlite)["']/)
})

test('dependencies are installed beside it, not built into it, and those for development are neither', () => {
  const modules = join(installed, 'node_modules')
  for (const name of ['commander', 'pino']) expect(existsSync(join(modules, name)), name).toBe(true)
  for (const name of ['vitest', 'typescript', 'tsdown']) expect(existsSync(join(modules, name)), name).toBe(false)
  const built = readdirSync(join(modules, 'rethread', 'dist'))
    .filter(name => name.endsWith('.js'))
    .map(name => readFileSync(join(modules, 'rethread', 'dist', name), 'utf8'))
  expect(built.join('')).not.toMatch(/#region node_modules|from ["'](vitest|fast-check)/)
})

test('it says its version where it is installed', async () => {
  expect((await run('--version')).trim()).toBe(MANIFEST.version)
})

test('it lists a session where it is installed', async () => {
  const home = temporaryHome()
  const fixture = readFileSync(join(ROOT, 'src', 'agents', 'claude-code', 'fixtures', 'complete.jsonl'))
  const id = '11111111-2222-4333-8444-555555555555'
  put(home, `.claude/projects/-home-dev-shop/${id}.jsonl`, fixture)
  const listed = JSON.parse(await run('--home', home, '--state', join(home, 'state'), 'list', '--json'))
  expect(listed.failures).toEqual([])
  expect(listed.sessions).toMatchObject([{ agent: 'claude-code', project: '/home/dev/shop', partial: false }])
  expect(listed.sessions[0].messageCount).toBeGreaterThan(0)
})

test('checks large sessions in threads of its own', async () => {
  const home = temporaryHome()
  const record = (uuid: string, parentUuid: string | null, content: string, timestamp: string): string =>
    `${JSON.stringify({ parentUuid, isSidechain: false, type: 'user', message: { role: 'user', content }, uuid, timestamp })}\n`
  put(
    home,
    '.claude/projects/-shop/11111111-2222-4333-8444-555555555555.jsonl',
    record('a', null, 'x'.repeat(17e6), '2026-11-01T09:00:00.000Z') + record('b', 'a', 'y', '2026-11-01T09:00:01.000Z'),
  )
  expect(await run('--home', home, 'check')).toContain('1 healthy')
})
