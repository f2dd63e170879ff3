// node .ci/start.js: runs `npm start` as the README says, without a browser: waits for the page, gets it, and stops the server.
// Works in a home of its own, so that nothing real is touched. For any Node >= 20 on Linux, macOS and Windows.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const isWindows = process.platform === 'win32'
const home = mkdtempSync(join(tmpdir(), 'rethread-start-'))
const options = ['serve', '--no-open', '--json', '--port', '0', '--home', home, '--state', join(home, 'state')]
const child = spawn('npm', ['start', '--silent', '--', ...options], {
  stdio: ['ignore', 'pipe', 'inherit'],
  shell: isWindows,
})
const ended = once(child, 'close')

const { address, pid } = await addressOf(child)
try {
  // A browser trades the token for a cookie; a program sends it along.
  const token = new URL(address).searchParams.get('token')
  const response = await fetch(new URL('/', address), { headers: { authorization: `Bearer ${token}` } })
  const page = await response.text()
  if (!response.ok || !page.includes('<script'))
    throw new Error(`The page was answered with ${response.status}: ${page}`)
} finally {
  process.kill(pid, 'SIGTERM')
}
const [status] = await ended
rmSync(home, { recursive: true, force: true })
// On Windows a signal ends the process at once, with a status of its own.
if (status !== 0 && !isWindows) throw new Error(`npm start ended with ${status}.`)
process.stdout.write('npm start served the page and stopped.\n')

/** Where the server listens: one JSON document, which it prints when it is ready. */
async function addressOf({ stdout }) {
  let printed = ''
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    printed += chunk
    if (printed.trimEnd().endsWith('}')) return JSON.parse(printed)
  }
  throw new Error(`npm start ended before the page was there: ${printed}`)
}
