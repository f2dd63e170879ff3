// What all processes of a run share. Most of what a short process does is to load the same modules again: the tests
// start rethread as a package whose modules are joined, and all processes share one compile cache.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsdown'
import config from '../../tsdown.config.ts'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 2 ** 30
const CHECKOUT = join(import.meta.dirname, '..', '..')

export default async function prepare(): Promise<() => void> {
  // Short: the path of a socket has at most 107 bytes.
  const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'rethread-'))
  // Tests also start rethread as another user.
  chmodSync(folder, 0o1777)
  process.env['RETHREAD_TEST_DISK'] = tmpdir()
  process.env['TMPDIR'] = folder
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
  process.env['RETHREAD_TEST_PACKAGE'] = await makePackage(join(folder, 'package'))
  // Processes that are ending may still write what they have compiled.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
}

/** A disk would be waited for at each of many thousand small writes. */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > ROOM_BYTES
}

/**
 * Laid out like the published package. Its dependencies are joined in, except for one that has native code and one whose
 * modules find each other only as files.
 */
async function makePackage(folder: string): Promise<string> {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  copyFileSync(join(CHECKOUT, 'package.json'), join(folder, 'package.json'))
  copyFileSync(join(CHECKOUT, 'bin', 'rethread.js'), join(folder, 'bin', 'rethread.js'))
  symlinkSync(join(CHECKOUT, 'dist', 'web'), join(folder, 'dist', 'web'))
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
  await build({
    ...config,
    config: false,
    cwd: CHECKOUT,
    outDir: join(folder, 'dist'),
    clean: false,
    dts: false,
    logLevel: 'error',
    deps: { alwaysBundle: [/.*/], neverBundle: [/node-pty/, /jsonc-parser/] },
  })
  return folder
}
