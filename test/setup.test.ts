// scripts/setup.js in a tree of its own, with an npm that only writes down what it was asked to do.
import { execFile } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from './support/home.ts'
import { PRETEND_OLD } from './support/pretend-old.ts'

const NODE_PACKAGE = `node-${process.platform}-${process.arch}`
// Slow enough that two at once would meet; `npm ci` removes node_modules first, as the real one does.
const NPM = `#!/bin/sh
echo "$* cache=$npm_config_cache prefix=$npm_config_prefix" >> "$SETUP_LOG"
[ -z "$SETUP_FAILS" ] || exit 1
case $1 in
  ci) rm -rf node_modules; sleep 0.3; mkdir -p node_modules/.bin ;;
  install) mkdir -p node_modules/${NODE_PACKAGE}/bin
    printf '#!/bin/sh\\necho v24.0.0\\n' > node_modules/${NODE_PACKAGE}/bin/node
    chmod +x node_modules/${NODE_PACKAGE}/bin/node ;;
esac
`

function makeTree() {
  const root = temporaryHome()
  cpSync(join(import.meta.dirname, '..', 'scripts', 'setup.js'), join(root, 'scripts', 'setup.js'))
  put(root, 'package.json', '{"type":"module"}')
  put(root, 'package-lock.json', '{"lock":1}')
  chmodSync(put(root, 'tools/npm', NPM), 0o755)
  const log = join(root, 'npm.log')
  const run = (options: string[] = [], env: Record<string, string> = {}, args: string[] = []) =>
    new Promise<{ status: number; stdout: string; stderr: string }>(done => {
      const variables = {
        ...process.env,
        PATH: `${join(root, 'tools')}${delimiter}/usr/bin:/bin`,
        SETUP_LOG: log,
        ...env,
      }
      const child = execFile(
        process.execPath,
        [...options, join(root, 'scripts', 'setup.js'), ...args],
        { env: variables },
        (_, stdout, stderr) => done({ status: child.exitCode ?? -1, stdout, stderr }),
      )
    })
  /** What npm was asked to do, command by command. */
  const asked = () =>
    (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []).map(line => line.split(' ')[0])
  return { root, run, asked, log }
}

test('dependencies are installed once, and what is said goes to stderr', async () => {
  const { run, asked } = makeTree()
  expect(await run()).toMatchObject({
    status: 0,
    stdout: '',
    stderr: expect.stringContaining('Installing dependencies'),
  })
  expect(await run()).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(asked()).toEqual(['ci'])
})

test('they are installed again when the lock file has changed, and after an interruption', async () => {
  const { root, run, asked } = makeTree()
  await run()
  writeFileSync(join(root, 'package-lock.json'), '{"lock":2}')
  await run()
  expect(asked()).toEqual(['ci', 'ci'])
  rmSync(join(root, 'node_modules', '.rethread-lock'))
  await run()
  expect(asked()).toEqual(['ci', 'ci', 'ci'])
})

test('a failing npm ends the set-up with what to do, and the next one tries again', async () => {
  const { run, asked } = makeTree()
  expect(await run([], { SETUP_FAILS: '1' })).toMatchObject({ status: 1, stderr: expect.stringContaining('npm ci in') })
  expect(await run()).toMatchObject({ status: 0 })
  expect(asked()).toEqual(['ci', 'ci'])
})

test('three at once install once', async () => {
  const { root, run, asked } = makeTree()
  const runs = await Promise.all([run(), run(), run()])
  expect(runs.map(({ status }) => status)).toEqual([0, 0, 0])
  expect(asked()).toEqual(['ci'])
  expect(existsSync(join(root, '.tools', 'setup-lock'))).toBe(false)
})

test('a lock whose owner is gone is taken over', async () => {
  const { root, run, asked } = makeTree()
  // Beyond the largest process id there is.
  put(root, '.tools/setup-lock/pid', '4194305')
  expect((await run()).status).toBe(0)
  expect(asked()).toEqual(['ci'])
})

test('an old Node gets a newer one beside it, once', async () => {
  const { root, run, asked } = makeTree()
  expect((await run(PRETEND_OLD)).stderr).toContain('This machine has Node 20.1.0')
  await run(PRETEND_OLD)
  expect(asked()).toEqual(['ci', 'install'])
  const link = join(root, 'node_modules', '.bin', 'node')
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readlinkSync(link).startsWith('..')).toBe(true)
  expect(existsSync(link)).toBe(true)
})

test('it is linked again after the dependencies were installed again, without getting it again', async () => {
  const { root, run, asked } = makeTree()
  await run(PRETEND_OLD)
  rmSync(join(root, 'node_modules', '.rethread-lock'))
  await run(PRETEND_OLD)
  expect(asked()).toEqual(['ci', 'install', 'ci'])
  expect(existsSync(join(root, 'node_modules', '.bin', 'node'))).toBe(true)
})

test('it is linked again when it runs the set-up itself', async () => {
  const { root, run, asked } = makeTree()
  await run(PRETEND_OLD)
  writeFileSync(join(root, 'package-lock.json'), '{"lock":2}')
  const binary = join(root, '.tools', 'node24', 'node_modules', NODE_PACKAGE, 'bin', 'node')
  const script = `Object.defineProperty(process, 'execPath', { value: ${JSON.stringify(binary)} })`
  await run(['--import', `data:text/javascript,${encodeURIComponent(script)}`])
  expect(asked()).toEqual(['ci', 'install', 'ci'])
  expect(existsSync(join(root, 'node_modules', '.bin', 'node'))).toBe(true)
})

test('a newer Node that does not run is got again', async () => {
  const { root, run, asked } = makeTree()
  await run(PRETEND_OLD)
  rmSync(join(root, 'node_modules', '.bin', 'node'))
  writeFileSync(join(root, '.tools', 'node24', 'node_modules', NODE_PACKAGE, 'bin', 'node'), '')
  await run(PRETEND_OLD)
  expect(asked()).toEqual(['ci', 'install', 'install'])
})

test('the npm inside keeps where packages come from, and not the flags of the npm outside', async () => {
  const { run, log } = makeTree()
  await run([], { npm_config_cache: '/some/cache', npm_config_prefix: '/some/prefix' })
  expect(readFileSync(log, 'utf8')).toContain('cache=/some/cache prefix=\n')
})

test('a browser is thought of only when asked for, and only where tests need one', async () => {
  const { root, run } = makeTree()
  await run()
  const tools = withoutBrowser(root)
  expect((await run(AS_ROOT, tools, ['--browser'])).stderr).toBe('')
  put(root, 'test/page.browser.test.ts', '')
  expect((await run(AS_ROOT, tools)).stderr).toBe('')
  const asked = await run(AS_ROOT, tools, ['--browser'])
  expect(asked.status).toBe(0)
  expect(asked.stderr).toContain('Installing chromium')
  expect(asked.stderr).toContain('apt-get could not install chromium')
})

test('a browser is not installed where there is one, nor by anybody but root', async () => {
  const { root, run } = makeTree()
  await run()
  put(root, 'test/page.browser.test.ts', '')
  const tools = withoutBrowser(root)
  expect((await run(AS_SOMEBODY, tools, ['--browser'])).stderr).toBe('')
  const named = put(root, 'named/chrome', '')
  expect((await run(AS_ROOT, { ...tools, RETHREAD_TEST_CHROMIUM: named }, ['--browser'])).stderr).toBe('')
  put(root, 'tools/chromium', '')
  expect((await run(AS_ROOT, tools, ['--browser'])).stderr).toBe('')
})

const AS_ROOT = pretendUser(0)
const AS_SOMEBODY = pretendUser(1000)

function pretendUser(id: number): string[] {
  const script = `process.getuid = () => ${id}; Object.defineProperty(process, 'platform', { value: 'linux' })`
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
}

/** Nothing but an npm and an apt-get that fails. */
function withoutBrowser(root: string): Record<string, string> {
  chmodSync(put(root, 'tools/apt-get', '#!/bin/sh\nexit 1\n'), 0o755)
  return { PATH: join(root, 'tools') }
}
