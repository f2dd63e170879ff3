#!/usr/bin/env node
// Starts rethread. Plain JavaScript for any Node >= 18: where the running Node is too old, it hands over to a newer one beside us, or says what to install.
import * as module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

// To import it evaluates all of its exports, and loads streams with them.
const { existsSync } = module.createRequire(import.meta.url)('node:fs')
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// Set for the Node we hand over to: if that one is too old as well, it must not hand over again.
const HANDED_OVER = 'RETHREAD_HANDED_OVER'

if (major > 22 || (major === 22 && minor >= 18)) await start()
else await handOver()

async function start() {
  delete process.env[HANDED_OVER]
  // A checkout runs its source; the published package has only the built files.
  const source = join(root, 'src', 'cli', 'main.ts')
  const isCheckout = existsSync(source)
  // Compiled code is cached beside the source: anyone who can write there can change the source too. Where nothing can be written, nothing is cached.
  const cache = isCheckout ? join(root, 'node_modules', '.cache', 'rethread') : join(root, '.cache')
  module.enableCompileCache?.(cache)
  await import(pathToFileURL(isCheckout ? source : join(root, 'dist', 'main.js')).href)
}

async function handOver() {
  // Takes longer to load than everything else in this file, and is rarely needed.
  const { spawn } = await import('node:child_process')
  const names = process.platform === 'win32' ? ['node.exe', 'node.cmd'] : ['node']
  const newer = names.map(name => join(root, 'node_modules', '.bin', name)).find(path => existsSync(path))
  if (newer === undefined || process.env[HANDED_OVER] !== undefined) return sayWhatToInstall()
  const child = spawn(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    shell: newer.endsWith('.cmd'),
    env: { ...process.env, [HANDED_OVER]: '1' },
  })
  const stopForwarding = forwardSignals(child)
  child.on('error', error => {
    process.stderr.write(`rethread could not start ${newer}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (status, signal) => {
    stopForwarding()
    if (signal === null) process.exit(status ?? 1)
    else process.kill(process.pid, signal)
  })
}

/** We wait for the other one to end in its own way, so what is meant for rethread must reach it. */
function forwardSignals(child) {
  const handlers = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'].map(signal => {
    // A terminal sends these to both of us.
    const isSentToBoth = (signal === 'SIGINT' || signal === 'SIGQUIT') && process.stdin.isTTY
    const handler = () => isSentToBoth || child.kill(signal)
    process.on(signal, handler)
    return { signal, handler }
  })
  return () => {
    for (const { signal, handler } of handlers) process.off(signal, handler)
  }
}

function sayWhatToInstall() {
  process.stderr.write(
    `rethread needs Node 22.18 or newer; this is Node ${process.versions.node}.\n` +
      'Install Node 24 from your system or from nodejs.org, then run the same command again.\n' +
      (existsSync(join(root, 'scripts', 'setup.js'))
        ? 'This is a checkout of rethread, which can add one for itself alone: npm start\n'
        : ''),
  )
  process.exitCode = 1
}
