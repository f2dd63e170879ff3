// The descriptions of the service: each value arrives as it is, whatever is in it.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../test/support/home.ts'
import { launchd } from './launchd.ts'
import { scheduledTask } from './scheduled-task.ts'
import { MARK, type Service, type ServiceManager } from './service.ts'
import { systemd } from './systemd.ts'

const HOSTILE = `/opt/a b/50% "x" 'y' $HOME \\z & <c>`

function serviceOf(changes: Partial<Service> = {}): Service {
  return {
    program: '/usr/bin/node',
    args: ['/opt/rethread/bin/rethread.js', '--state', HOSTILE, 'archive', '--watch', '--quiet'],
    variables: [['CLAUDE_CONFIG_DIR', HOSTILE]],
    logFile: '/home/me/log',
    user: 'PC\\me',
    ...changes,
  }
}

test('a unit of systemd escapes quotes, backslashes, specifiers and variables', () => {
  const text = systemd.text(serviceOf())
  expect(text).toContain(MARK)
  expect(text).toContain(
    `ExecStart="/usr/bin/node" "/opt/rethread/bin/rethread.js" "--state" "/opt/a b/50%% \\"x\\" 'y' $$HOME \\\\z & <c>" "archive" "--watch" "--quiet"\n`,
  )
  expect(text).toContain(`Environment="CLAUDE_CONFIG_DIR=/opt/a b/50%% \\"x\\" 'y' $HOME \\\\z & <c>"\n`)
})

const analyze = '/usr/bin/systemd-analyze'
test.skipIf(!existsSync(analyze)).each(['plain', `a b 50% é`, `q"uo'te $HOME \\x`])(
  'systemd accepts the unit for a program in a folder named %s',
  name => {
    const home = temporaryHome()
    const folder = join(home, name)
    mkdirSync(folder)
    copyFileSync('/bin/true', join(folder, 'node'))
    chmodSync(join(folder, 'node'), 0o755)
    const text = systemd.text(serviceOf({ program: join(folder, 'node') }))
    const file = put(home, 'rethread-archive.service', text)
    const { stderr, status } = spawnSync(analyze, ['--user', 'verify', file], {
      env: { HOME: home, XDG_RUNTIME_DIR: home, PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  },
)

test('an agent of launchd escapes what means something in XML', () => {
  const text = launchd.text(serviceOf())
  expect(text).toContain(`<string>/opt/a b/50% &quot;x&quot; &apos;y&apos; $HOME \\z &amp; &lt;c&gt;</string>`)
  expect(text.match(/<string>/g)?.length).toBe(text.match(/<\/string>/g)?.length)
  expect(text).toContain(MARK)
})

test('a task of Windows quotes arguments for the C runtime, then for XML', () => {
  const text = scheduledTask.text(serviceOf({ args: ['C:\\a b\\', 'x\\"y', '50% & more'] }))
  expect(text).toContain(
    '<Arguments>--headless &quot;/usr/bin/node&quot; &quot;C:\\a b\\\\&quot; &quot;x\\\\\\&quot;y&quot; &quot;50% &amp; more&quot;</Arguments>',
  )
  expect(text).toContain('<UserId>PC\\me</UserId>')
})

test.each(['%TEMP%', '$(Arg0)'])('a task of Windows is refused where the scheduler would replace %s', word => {
  expect(() => scheduledTask.text(serviceOf({ args: [`C:\\${word}`] }))).toThrow(/cannot hold/)
})

const managers: [string, ServiceManager][] = [
  ['systemd', systemd],
  ['launchd', launchd],
  ['Windows', scheduledTask],
]
test.each(managers)('a value with a line break is refused for %s', (_, manager) => {
  for (const bad of ['a\nExecStart=/bin/evil', 'a\u0000', 'a\ud800'])
    expect(() => manager.text(serviceOf({ args: [bad] }))).toThrow(/control character/)
})

test('the files are in the folders of the person', () => {
  const home = environmentOf('/home/me', { XDG_CONFIG_HOME: '/home/me/conf' })
  expect(systemd.file(home)).toBe('/home/me/conf/systemd/user/rethread-archive.service')
  expect(launchd.file({ ...home, platform: 'darwin' })).toBe('/home/me/Library/LaunchAgents/rethread.archive.plist')
  expect(scheduledTask.file({ home: 'C:\\Users\\me', platform: 'win32', variables: {} })).toBe(
    'C:\\Users\\me\\AppData\\Local\\rethread\\rethread-archive.xml',
  )
})
