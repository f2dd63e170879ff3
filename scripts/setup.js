// Prepares a checkout: dependencies, a recent Node, with --page the built page, and with --browser a browser
// for the browser tests. Plain JavaScript without dependencies, for any Node >= 18. Prints to stderr only:
// stdout belongs to the command that follows.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const isWindows = process.platform === 'win32'
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
// Written last. Without it, or with the hash of another lock file, node_modules is not complete.
const stamp = join(modules, '.rethread-lock')
// Outside node_modules, because `npm ci` would remove it.
const tools = join(root, '.tools')
const nodeName = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
const nodeBinary = join(tools, 'node24', 'node_modules', nodeName, 'bin', isWindows ? 'node.exe' : 'node')
// npm scripts put node_modules/.bin first, so a `node` there is the one that runs.
const nodeLink = join(modules, '.bin', isWindows ? 'node.cmd' : 'node')

// Not in the build folder, because all of that is published.
const pageStamp = join(tools, 'page-built-from')

const LOCK_WAIT_MS = 15 * 60 * 1000
const LOCK_POLL_MS = 250
/** A lock without an owner is being written. After this time its writer is gone. */
const LOCK_OWNERLESS_MS = 10_000

/** The first is Chromium without windows, which needs a third less of the processor. Older systems do not have it. */
const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser']

const wantsPage = process.argv.includes('--page')

if (!hasDependencies() || !hasNode() || (wantsPage && !hasPage())) withLock(installAll)
if (process.argv.includes('--browser') && needsBrowser()) installBrowser()

function hasDependencies() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash()
}

/** Our own Node may run this, while the link to it was removed together with the dependencies. */
function hasNode() {
  return existsSync(nodeLink) || (isNewEnough(process.versions.node) && !isOwnNode())
}

function isOwnNode() {
  return existsSync(nodeBinary) && realpathSync(nodeBinary) === realpathSync(process.execPath)
}

/** Checks again under the lock: another set-up may have finished meanwhile. */
function installAll() {
  if (!hasDependencies()) installDependencies()
  if (!hasNode()) installNode()
  if (wantsPage && !hasPage()) buildPage()
}

function installDependencies() {
  say('Installing dependencies (npm ci)…')
  npm(['ci', '--no-fund', '--no-audit', '--loglevel=error', '--update-notifier=false'], root)
  writeFileSync(stamp, lockHash())
}

function installNode() {
  if (!runs(nodeBinary)) {
    const folder = join(tools, 'node24')
    say(`This machine has Node ${process.versions.node}; adding Node 24 to this checkout…`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    const options = [
      '--no-save',
      '--no-package-lock',
      '--no-fund',
      '--no-audit',
      '--loglevel=error',
      '--update-notifier=false',
    ]
    npm(['install', ...options, `${nodeName}@24`], folder)
  }
  rmSync(nodeLink, { force: true })
  mkdirSync(dirname(nodeLink), { recursive: true })
  if (isWindows) writeFileSync(nodeLink, `@"${nodeBinary}" %*\r\n`)
  // Relative, so that a checkout can be moved.
  else symlinkSync(relative(dirname(nodeLink), nodeBinary), nodeLink)
}

/**
 * An interrupted installation can leave a file that does not run. (An empty file runs as a shell script
 * without output.)
 */
function runs(binary) {
  return existsSync(binary) && /^v\d/.test(String(spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout))
}

/** Two set-ups of one checkout would delete each other's files. A lock of a dead process is taken over. */
function withLock(work) {
  const lock = join(tools, 'setup-lock')
  const deadline = Date.now() + LOCK_WAIT_MS
  mkdirSync(tools, { recursive: true })
  for (let isFirst = true; !take(lock); isFirst = false) {
    if (isFirst) say('Another set-up of this checkout is running; waiting for it…')
    if (Date.now() > deadline) fail(`The other set-up does not end. If there is none, remove its lock: rm -r ${lock}`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS)
  }
  process.on('exit', () => rmSync(lock, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
  work()
}

function take(lock) {
  try {
    mkdirSync(lock)
    writeFileSync(join(lock, 'pid'), String(process.pid))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function isAbandoned(lock) {
  try {
    const pid = Number(readFileSync(join(lock, 'pid'), 'utf8'))
    if (pid > 0) return !isAlive(pid)
    return Date.now() - statSync(lock).mtimeMs > LOCK_OWNERLESS_MS
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return existsSync(lock) && Date.now() - statSync(lock).mtimeMs > LOCK_OWNERLESS_MS
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Whether the page was built from exactly these files. */
function hasPage() {
  const isBuilt = existsSync(join(root, 'dist', 'web', 'index.html')) && existsSync(pageStamp)
  return isBuilt && readFileSync(pageStamp, 'utf8') === pageHash()
}

function buildPage() {
  say('Building the page…')
  const hash = pageHash()
  const node = existsSync(nodeLink) && !isWindows ? nodeLink : process.execPath
  const vite = join(modules, 'vite', 'bin', 'vite.js')
  const result = spawnSync(node, [vite, 'build', 'web', '--logLevel', 'warn'], { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) fail('The page could not be built. See what is wrong: npm run build')
  writeFileSync(pageStamp, hash)
}

function pageHash() {
  const hash = createHash('sha256')
  const own = readdirSync(join(root, 'web'), { recursive: true }).map(name => join('web', String(name)))
  const shared = [
    'api.ts',
    'protocol.ts',
    ...readdirSync(join(root, 'src', 'server', 'api')).map(name => join('api', name)),
  ].map(name => join('src', 'server', name))
  for (const name of [...own.sort(), ...shared, 'package-lock.json']) {
    const path = join(root, name)
    if (statSync(path).isFile()) hash.update(name).update(readFileSync(path))
  }
  return hash.digest('hex')
}

function needsBrowser() {
  return ['src', 'test', 'web'].some(name => {
    const folder = join(root, name)
    return (
      existsSync(folder) && readdirSync(folder, { recursive: true }).some(path => path.endsWith('.browser.test.ts'))
    )
  })
}

/** Only on Debian-like systems and as root. Otherwise the browser tests report what is missing. */
function installBrowser() {
  const named = process.env['RETHREAD_TEST_CHROMIUM']
  if ((named !== undefined && existsSync(named)) || BROWSERS.some(isOnPath)) return
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !isOnPath('apt-get')) return
  say('Installing chromium for the browser tests (apt-get)…')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const aptGet = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 2, 2], env }).status === 0
  const installs = name => aptGet('install', '-y', '-qq', '--no-install-recommends', name)
  if (!aptGet('update', '-qq') || !(installs('chromium-headless-shell') || installs('chromium')))
    say('apt-get could not install chromium; the browser tests will say what they miss.')
}

function isOnPath(name) {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.some(folder => folder !== '' && existsSync(join(folder, name)))
}

function npm(args, cwd) {
  const result = spawnSync('npm', args, { cwd, env: environmentForNpm(), stdio: ['ignore', 2, 2], shell: isWindows })
  if (result.status === 0) return
  fail(`npm ${args[0]} failed. Check the network connection, then run: npm ${args[0]} in ${cwd}`)
}

/**
 * Removes the variables of an outer npm, whose prefix and flags the inner npm would use. The registry
 * settings stay.
 */
function environmentForNpm() {
  const stays =
    /^npm_config_(cache|userconfig|globalconfig|registry|cafile|proxy|https_proxy|noproxy|offline|prefer_offline)$/
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => {
      const lower = name.toLowerCase()
      return !lower.startsWith('npm_') || stays.test(lower)
    }),
  )
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

function fail(text) {
  say(text)
  process.exit(1)
}

function say(text) {
  process.stderr.write(`rethread set-up: ${text}\n`)
}
