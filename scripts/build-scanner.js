// npm run build:scanner: builds src/disk/files/scanner.wasm from scanner/. Needs rustup, which fetches the version
// of Rust in scanner/rust-toolchain.toml. The same source gives the same bytes, wherever it is built.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const TARGET = 'wasm32-unknown-unknown'
const [output = join(ROOT, 'src', 'disk', 'files', 'scanner.wasm')] = process.argv.slice(2)

const folder = mkdtempSync(join(tmpdir(), 'rethread-scanner-'))
try {
  const args = ['rustc', '--release', '--locked', '--offline', '--target', TARGET, '--lib', '--crate-type', 'cdylib']
  const { status, error } = spawnSync('cargo', args, { cwd: join(ROOT, 'scanner'), env: plain(), stdio: 'inherit' })
  if (error !== undefined)
    process.stderr.write(`cargo cannot be started: ${error.message}. Install Rust: https://rustup.rs\n`)
  if (status === 0) writeFileSync(output, readFileSync(join(folder, TARGET, 'release', 'scanner.wasm')))
  else process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Without settings of the person that change what is built. */
function plain() {
  const kept = Object.entries(process.env).filter(([name]) => !/^(RUSTC?_?FLAGS|RUSTC|CARGO_(?!HOME$))/.test(name))
  return { ...Object.fromEntries(kept), CARGO_TARGET_DIR: folder }
}
