// Makes a checkout ready to run: dependencies, a Node that is new enough, a browser where browser tests need one.
// Plain JavaScript without dependencies, for any Node >= 18. Everything it says goes to stderr: stdout belongs to the command that follows.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const stamp = join(modules, '.rethread-lock')

installDependencies()
provideNode()
if (process.argv.includes('--browser')) provideBrowser()

function installDependencies() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('Installing dependencies (npm ci)…')
  npm(['ci', '--no-fund', '--no-audit', '--loglevel=error'], root)
  writeFileSync(stamp, wanted)
}

/** npm scripts put node_modules/.bin first, so a `node` there is the one that runs. It is kept outside node_modules because `npm ci` would prune it. */
function provideNode() {
  if (isNewEnough(process.versions.node)) return
  const link = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  if (existsSync(link)) return
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(root, '.tools', 'node24')
  const binary = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(binary)) {
    say(`This machine has Node ${process.versions.node}; adding Node 24 to this checkout…`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    npm(
      ['install', '--no-save', '--no-package-lock', '--no-fund', '--no-audit', '--loglevel=error', `${name}@24`],
      folder,
    )
  }
  rmSync(link, { force: true })
  if (process.platform === 'win32') writeFileSync(link, `@"${binary}" %*\r\n`)
  else symlinkSync(binary, link)
}

/** Only Debian and its kin, and only as root: elsewhere the browser tests say themselves what is missing. */
function provideBrowser() {
  if (['/usr/bin/chromium', '/usr/bin/chromium-browser'].some(path => existsSync(path))) return
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  say('Installing chromium for the browser tests (apt-get)…')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 2, 2], env })
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
    stdio: ['ignore', 2, 2],
    env,
  })
}

function npm(args, cwd) {
  // Without the variables of the npm that may be running us, or the inner npm would take over its prefix and flags.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')))
  const result = spawnSync('npm', args, { cwd, env, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (result.status === 0) return
  say(`npm ${args[0]} failed. Check the network connection, then run: npm ${args[0]} in ${cwd}`)
  process.exit(1)
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

function say(text) {
  process.stderr.write(`rethread set-up: ${text}\n`)
}
