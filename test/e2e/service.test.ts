// The service: what it writes, what it asks the service manager for, and what it leaves behind.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'

const UNIT = '.config/systemd/user/rethread-archive.service'

/** A service manager that notes what it is asked for. It runs a unit from `restart` to `disable`. */
const MANAGER = `#!/bin/sh
echo "$*" >> "$(dirname "$0")/asked"
case "$2" in
  restart) touch "$(dirname "$0")/active" ;;
  disable) rm -f "$(dirname "$0")/active" ;;
  is-active) if [ -e "$(dirname "$0")/active" ]; then echo active; else echo inactive; exit 3; fi ;;
esac
`

function prepare() {
  const home = temporaryHome()
  const manager = put(home, 'bin/systemctl', MANAGER)
  chmodSync(manager, 0o755)
  const run = async (args: string[], variables: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [rethreadBin, ...args], {
      env: { ...process.env, HOME: home, PATH: `${dirname(manager)}${delimiter}${process.env['PATH']}`, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', chunk => (stdout += String(chunk)))
    child.stderr.on('data', chunk => (stderr += String(chunk)))
    const status = await new Promise<number | null>(resolve => child.on('close', resolve))
    return { status, stdout, stderr }
  }
  const asked = () => {
    const file = join(home, 'bin/asked')
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    writeFileSync(file, '')
    return lines.filter(line => !line.includes('is-active'))
  }
  return { home, run, asked }
}

const onLinux = test.skipIf(process.platform !== 'linux')

onLinux('it is printed, installed, reported, and removed; the second time nothing changes', async () => {
  const { home, run, asked } = prepare()
  const printed = await run(['service', 'install', '--print'], { XDG_CONFIG_HOME: '', CLAUDE_CONFIG_DIR: '/x y/$(id)' })
  expect(printed).toMatchObject({ status: 0, stdout: expect.stringContaining('[Service]') })
  expect(printed.stdout).toContain('Environment="CLAUDE_CONFIG_DIR=/x y/$(id)"')
  expect(existsSync(join(home, UNIT))).toBe(false)
  expect(asked()).toEqual([])
  const none = { XDG_CONFIG_HOME: '' }
  expect(await run(['service', 'status'], none)).toMatchObject({
    status: 3,
    stdout: expect.stringContaining('Not inst'),
  })
  const installed = await run(['service', 'install'], none)
  expect(installed).toMatchObject({ status: 0, stdout: expect.stringContaining('journalctl --user') })
  const text = readFileSync(join(home, UNIT), 'utf8')
  expect(text).toContain(`ExecStart="${process.execPath}" "`)
  expect(asked()).toEqual([
    '--user daemon-reload',
    '--user enable rethread-archive.service',
    '--user restart rethread-archive.service',
  ])
  expect((await run(['service', 'install'], none)).status).toBe(0)
  expect(asked()).toEqual([])
  expect(await run(['service', 'status'], none)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('It runs.'),
  })
  const elsewhere = ['--state', join(home, 'other'), 'service']
  expect((await run([...elsewhere, 'status'], none)).stdout).toContain('not up to date')
  const other = put(home, '.config/systemd/user/other.service', '[Service]\n')
  expect((await run(['service', 'uninstall'], none)).status).toBe(0)
  expect(asked()).toEqual(['--user disable --now rethread-archive.service', '--user daemon-reload'])
  expect(readdirSync(dirname(other))).toEqual(['other.service'])
  expect((await run(['service', 'uninstall'], none)).stdout).toContain('not installed')
})

onLinux('a file that somebody else made is neither replaced nor removed', async () => {
  const { home, run, asked } = prepare()
  put(home, UNIT, '[Service]\nExecStart=/bin/true\n')
  for (const action of ['install', 'uninstall', 'status'])
    expect(await run(['service', action], { XDG_CONFIG_HOME: '' })).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('was not made by rethread'),
    })
  expect(asked()).toEqual([])
  expect(readFileSync(join(home, UNIT), 'utf8')).toContain('/bin/true')
})

onLinux('where the service manager cannot be reached, the file is written and the reason is said', async () => {
  const { home, run } = prepare()
  writeFileSync(join(home, 'bin/systemctl'), '#!/bin/sh\necho "Failed to connect to bus" >&2\nexit 1\n')
  const config = join(home, 'my conf')
  mkdirSync(config)
  const result = await run(['service', 'install'], { XDG_CONFIG_HOME: config })
  expect(result).toMatchObject({ status: 3, stdout: expect.stringContaining('Failed to connect to bus') })
  expect(existsSync(join(config, 'systemd/user/rethread-archive.service'))).toBe(true)
})

onLinux('for another home the service manager is not asked', async () => {
  const { run, asked } = prepare()
  const other = temporaryHome()
  const result = await run(['--home', other, 'service', 'install', '--json'])
  expect(JSON.parse(result.stdout)).toMatchObject({ isInstalled: true, isRunning: false })
  expect(readFileSync(join(other, UNIT), 'utf8')).toContain(`"--home" "${other}"`)
  expect(asked()).toEqual([])
})

test('an unknown action is refused', async () => {
  expect((await prepare().run(['service', 'frobnicate'])).status).toBe(2)
})
