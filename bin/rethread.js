#!/usr/bin/env node
// Starts rethread. Plain JavaScript for any Node >= 18: where the running Node is too old, it hands over to a newer one beside us, or says what to install.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 18)) await start()
else handOver()

async function start() {
  // A checkout runs its source; the published package has only the built files.
  const source = join(root, 'src', 'cli', 'main.ts')
  const entry = existsSync(source) ? source : join(root, 'dist', 'main.js')
  await import(pathToFileURL(entry).href)
}

function handOver() {
  const names = process.platform === 'win32' ? ['node.exe', 'node.cmd'] : ['node']
  const newer = names.map(name => join(root, 'node_modules', '.bin', name)).find(path => existsSync(path))
  if (newer === undefined) {
    process.stderr.write(
      `rethread needs Node 22.18 or newer; this is Node ${process.versions.node}.\n` +
        'Install Node 24 from your system or from nodejs.org, then run the same command again.\n' +
        'In a checkout of rethread, this adds one for rethread alone: npm start\n',
    )
    process.exit(1)
  }
  const result = spawnSync(newer, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    shell: newer.endsWith('.cmd'),
  })
  if (result.signal !== null) process.kill(process.pid, result.signal)
  process.exit(result.status ?? 1)
}
