// The package as people get it: packed, installed into an empty folder, and run there.
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  'scripts/fast-start.ts',
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
  return await runWith({}, ...args)
}

async function runWith(variables: Record<string, string>, ...args: string[]): Promise<string> {
  const command = join(installed, 'node_modules', '.bin', 'rethread')
  const env = { ...environmentForNpm(), ...variables }
  const { stdout } = await promisify(execFile)(command, args, { cwd: installed, env })
  return stdout
}

test('packing builds first', () => {
  expect(MANIFEST.scripts['prepack']).toBe('npm run build')
  expect(MANIFEST.scripts['build']).toMatch(/tsdown && node scripts\/setup\.js --page$/)
})

test('the tarball holds built JavaScript, the scanner, the documents, and nothing else', () => {
  const others = packedFiles.filter(path => !/^dist\/([\w-]+\.js|index\.d\.ts|scanner\.wasm|web\/.*)$/.test(path))
  expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'bin/rethread.js', 'package.json'])
  for (const name of ['main.js', 'index.js', 'index.d.ts', 'scanner.wasm'])
    expect(packedFiles).toContain(`dist/${name}`)
  expect(packedFiles).toContain('dist/web/index.html')
})

test('commands are files of their own, so that starting one loads only it', () => {
  const main = readFileSync(join(installed, 'node_modules', 'rethread', 'dist', 'main.js'), 'utf8')
  expect(packedFiles.filter(path => path.startsWith('dist/')).length).toBeGreaterThan(5)
  expect(main).not.toMatch(/from ["'](pino|zod|node:sqlite)["']/)
})

test('no file is loaded only to name what one other file exports', () => {
  const dist = join(installed, 'node_modules', 'rethread', 'dist')
  const isFacade = (text: string): boolean => /^import \{[^}]+\} from "[^"]+";\s*export \{[^}]+\};\s*$/.test(text)
  const facades = readdirSync(dist).filter(
    name => name.endsWith('.js') && isFacade(readFileSync(join(dist, name), 'utf8')),
  )
  expect(facades).toEqual([])
})

test('dependencies are installed beside it, not built into it, and those for development are neither', () => {
  const modules = join(installed, 'node_modules')
  for (const name of ['pino', 'zod']) expect(existsSync(join(modules, name)), name).toBe(true)
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

const record = (uuid: string, parentUuid: string | null, content: string, timestamp: string): string =>
  `${JSON.stringify({ parentUuid, isSidechain: false, type: 'user', message: { role: 'user', content }, uuid, timestamp })}\n`

/** Large enough to be read in threads. */
function putLarge(home: string): void {
  put(
    home,
    '.claude/projects/-shop/11111111-2222-4333-8444-555555555555.jsonl',
    record('a', null, 'x'.repeat(17e6), '2026-11-01T09:00:00.000Z') + record('b', 'a', 'y', '2026-11-01T09:00:01.000Z'),
  )
}

/** Large enough to be cut into parts. */
function putLong(home: string): void {
  const text = 'x'.repeat(4000)
  const records = Array.from({ length: 10_000 }, (_, n) =>
    record(`u${n}`, n === 0 ? null : `u${n - 1}`, text, new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()),
  )
  put(home, '.claude/projects/-shop/33333333-2222-4333-8444-555555555555.jsonl', records.join(''))
}

test('without WebAssembly it checks with the scanner in JavaScript', async () => {
  const home = temporaryHome()
  put(
    home,
    '.claude/projects/-shop/11111111-2222-4333-8444-555555555555.jsonl',
    record('a', null, 'x', '2026-11-01T09:00:00.000Z'),
  )
  expect(await runWith({ NODE_OPTIONS: '--jitless' }, '--home', home, 'check')).toContain('1 healthy')
})

test.each(['js', 'wasm'])('checks large sessions in threads of its own, with the %s scanner', async scanner => {
  const home = temporaryHome()
  putLarge(home)
  putLong(home)
  expect(await runWith({ RETHREAD_SCANNER: scanner }, '--home', home, 'check')).toContain('2 healthy')
})

describe('a program that imports it', () => {
  const DAMAGED = '22222222-2222-4333-8444-555555555555'

  /** A process of its own in the folder with the package; resolves when it has ended by itself, with what it printed as JSON. */
  async function runProgram(name: string, text: string, home: string): Promise<unknown> {
    writeFileSync(join(installed, name), text)
    const { stdout } = await promisify(execFile)(process.execPath, [name, home], { cwd: installed })
    return JSON.parse(stdout)
  }

  function putDamaged(home: string): string {
    const fixture = readFileSync(join(ROOT, 'test', 'fixtures', 'sessions', 'corrupted-shallow.jsonl'))
    const path = put(home, `.claude/projects/-shop/${DAMAGED}.jsonl`, fixture)
    const longAgo = new Date(Date.UTC(2026, 0, 2))
    utimesSync(path, longAgo, longAgo)
    return path
  }

  test('lists, reads, checks and repairs, and ends by itself', async () => {
    const home = temporaryHome()
    putLarge(home)
    const path = putDamaged(home)
    expect(await runProgram('program.js', PROGRAM, home)).toEqual({
      listed: 2,
      messages: true,
      end: 'complete',
      checked: { [path]: 'corrupted' },
      scanned: 'corrupted',
      repaired: 'repaired',
      scannedAgain: 'healthy',
      error: { isRethreadError: true, code: 'session-not-found', hasHint: true },
    })
  })

  test('cannot reach what is not part of the interface', async () => {
    const answer = await runProgram(
      'inside.js',
      "const failure = await import('rethread/dist/main.js').catch(error => error.code)\nconsole.log(JSON.stringify(failure))",
      temporaryHome(),
    )
    expect(answer).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  test('compiles against its types, without those of Node', async () => {
    writeFileSync(join(installed, 'consumer.ts'), CONSUMER)
    writeFileSync(join(installed, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, files: ['consumer.ts'] }))
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const compiled = promisify(execFile)(process.execPath, [tsc, '-p', installed, '--listFiles'], { cwd: installed })
    const { stdout } = await compiled.catch(error => Promise.reject(new Error(error.stdout)))
    expect(stdout).toContain('node_modules/rethread/dist/index.d.ts')
  })
})

const STRICT = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noEmit: true,
  types: [],
  // The declarations of the package themselves are checked too.
  skipLibCheck: false,
}

const PROGRAM = `
import { check, createScanner, list, read, repair, RethreadError } from 'rethread'

const home = process.argv[2]
const where = { home, state: home + '/state' }
const listed = await list(where)
const damaged = listed.sessions.find(({ sessionId }) => sessionId.startsWith('2222'))

const reading = read(damaged, where)
let messages = 0
for await (const message of reading) messages += message.parts.length
// Left early: nothing may be left open by it.
for await (const message of read(damaged.sessionId, where)) if (message.id !== '') break

// All of them, the large one in threads.
const all = await check(where)
if (all.sessions.length !== 2) throw new Error('Not all sessions were checked.')
const checked = Object.fromEntries((await check({ ...where, sessions: [damaged] })).sessions.map(v => [v.filePath, v.status]))
const scanner = createScanner(where)
const scanned = (await scanner.scan(damaged.filePath)).status
const repaired = (await repair({ ...where, sessions: [damaged] })).sessions[0].repair.status
const scannedAgain = (await scanner.scan(damaged.filePath)).status
const error = await read('ffffffff', where).next().then(
  () => 'nothing was thrown',
  error => ({ isRethreadError: error instanceof RethreadError, code: error.code, hasHint: error.hint !== '' }),
)
console.log(JSON.stringify({
  listed: listed.sessions.length, messages: messages > 0, end: reading.end.type, checked, scanned, repaired, scannedAgain, error,
}))
`

const CONSUMER = `
import { check, createScanner, list, read, repair, RethreadError } from 'rethread'
import type { Message, ReadingEnd, SessionScanner, Verdict } from 'rethread'

const where = { home: '/home/dev', state: '/tmp/state', agents: ['codex'] }

export async function use(): Promise<void> {
  const { sessions, failures } = await list({ ...where, since: new Date(0), limit: 5 })
  const [first] = sessions
  if (first === undefined) throw new Error(failures.map(failure => failure.hint).join())
  const reading = read(first, where)
  for await (const message of reading) show(message)
  const end: ReadingEnd | undefined = reading.end
  if (end?.type === 'partial') end.parsedUpTo.toFixed()
  const verdicts: Verdict[] = (await check({ ...where, sessions: [first, 'abc'] })).sessions
  const repaired = await repair({ ...where, sessions: verdicts, dryRun: true })
  for (const { plan = [] } of repaired.sessions) for (const change of plan) if (change.type === 'row') change.table.trim()
  await repair({ all: true })
  const scanner: SessionScanner = createScanner(where)
  const results = await scanner.scanBatch(['/a.jsonl'])
  results[0]?.status satisfies 'healthy' | 'corrupted' | 'missing' | 'unreadable' | 'busy' | undefined
  try {
    await scanner.repair('/a.jsonl')
  } catch (error) {
    if (error instanceof RethreadError && error.code === 'busy') error.hint.trim()
  }
}

function show(message: Message): string {
  return message.parts.map(part => (part.type === 'text' ? part.text : part.type)).join()
}

export function misuse(): void {
  // @ts-expect-error which sessions?
  void repair({})
  // @ts-expect-error not both
  void repair({ all: true, sessions: [] })
  // @ts-expect-error no such option
  void check({ agent: 'codex' })
  // @ts-expect-error a name is needed
  void read()
}
`
