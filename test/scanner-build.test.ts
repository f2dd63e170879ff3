// The committed scanner.wasm is what its source builds.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SCANNER = join(ROOT, 'scanner')
const COMMITTED = readFileSync(join(ROOT, 'src', 'disk', 'files', 'scanner.wasm'))
const PINNED = /^channel = "(.+)"$/m.exec(readFileSync(join(SCANNER, 'rust-toolchain.toml'), 'utf8'))?.[1]

/** Nothing is installed by a test, and Rust is not searched for in a home of its own. */
function environment(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, RUSTUP_AUTO_INSTALL: '0', CARGO_HOME: join(folder, 'cargo') }
}

/** Why the file cannot be built here. */
function reasonToSkip(env: NodeJS.ProcessEnv): string | undefined {
  const { status, stdout } = spawnSync('rustc', ['--version'], { cwd: SCANNER, env, encoding: 'utf8' })
  if (status !== 0)
    return `Rust ${PINNED} cannot be started: rustup is missing, or RUSTUP_HOME does not name its folder`
  if (!stdout.startsWith(`rustc ${PINNED} `)) return `this is ${stdout.trim()}, and the file was built by ${PINNED}`
  const args = ['--print', 'target-libdir', '--target', 'wasm32-unknown-unknown']
  const { stdout: library } = spawnSync('rustc', args, { cwd: SCANNER, env, encoding: 'utf8' })
  return existsSync(library.trim()) ? undefined : 'the target wasm32-unknown-unknown is not installed'
}

test('scanner.wasm is byte for byte what scanner/ builds', context => {
  const folder = mkdtempSync(join(tmpdir(), 'rethread-scanner-test-'))
  try {
    const env = environment(folder)
    const reason = reasonToSkip(env)
    if (reason !== undefined) context.skip(reason)
    const output = join(folder, 'scanner.wasm')
    const script = join(ROOT, 'scripts', 'build-scanner.js')
    const { status, stderr } = spawnSync(process.execPath, [script, output], { env, encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    expect(readFileSync(output).equals(COMMITTED)).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('scanner.wasm is small, imports nothing, and contains no path of the machine that built it', () => {
  expect(COMMITTED.length).toBeLessThan(64 * 1024)
  expect(COMMITTED.toString('latin1')).not.toMatch(/\/(root|home|Users|tmp|work)\//)
  const { WebAssembly: api } = globalThis as unknown as {
    WebAssembly: { Module: { new (bytes: Buffer): object; imports(module: object): unknown[] } }
  }
  expect(api.Module.imports(new api.Module(COMMITTED))).toEqual([])
})

test('no file of scanner/ is longer than 400 lines', () => {
  const listed = spawnSync('git', ['ls-files', '*.rs'], { cwd: SCANNER, encoding: 'utf8' }).stdout.trim().split('\n')
  const files = listed.filter(name => name !== '')
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter(name => readFileSync(join(SCANNER, name), 'utf8').split('\n').length > 401)).toEqual([])
})
