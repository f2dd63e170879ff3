import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { environmentOf, isCommandOf, listByPs, listRunningCommands } from './running-commands.ts'

test.each([
  ['claude --resume x', true],
  ['/usr/local/bin/claude', true],
  ['node /usr/lib/node_modules/@some/claude-code/cli.js --print', true],
  ['node --max-old-space-size=4096 /usr/bin/claude', true],
  ['/bin/sh /home/dev/bin/claude', true],
  ['Claude.exe', true],
  ['/opt/claude-linux-x64/bin/run', true],
  ['vim /home/dev/claude.md', false],
  ['node /srv/app/server.js --config claude', true],
  ['node /srv/app/server.js --config other claude', false],
  ['tail -f /home/dev/.claude/projects/x/y.jsonl', false],
  ['node /home/dev/.claude/hook.js', false],
  ['claudette', false],
])('%s is a process of an agent called claude: %s', (line, isOne) => {
  expect(isCommandOf({ words: line.split(' ') }, ['claude'])).toBe(isOne)
})

test.runIf(process.platform !== 'win32')(
  'a process is listed with its words, its folder and its environment',
  async () => {
    const folder = temporaryHome()
    const child = spawn('sh', ['-c', 'echo ready; read word', 'some-agent'], {
      cwd: folder,
      env: { ...process.env, HOME: folder },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const find = (list = listRunningCommands()) => list?.find(({ pid }) => pid === child.pid)
    expect(find()?.words).toContain('some-agent')
    expect(find(listByPs())?.words).toContain('some-agent')
    expect(listRunningCommands()?.some(({ pid }) => pid === process.pid)).toBe(false)
    if (process.platform === 'linux') {
      expect(find()?.folder).toBe(folder)
      expect(environmentOf(child.pid ?? 0)?.get('HOME')).toBe(folder)
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(find()).toBeUndefined()
  },
)
