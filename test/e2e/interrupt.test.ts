// Ctrl-C at any moment of the start: whenever it comes, it is not lost.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'

test.each([100, 250, 400, 800])('a server that is interrupted after %d ms ends', async delay => {
  const home = temporaryHome()
  const args = ['--home', home, '--state', join(home, 'state'), 'serve', '--no-open', '--port', '0']
  const child = spawn(process.execPath, [rethreadBin, ...args], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise(resolve => child.on('close', (status, signal) => resolve(status ?? signal)))
  await sleep(delay)
  child.kill('SIGINT')
  // Before it listens for anything the system ends it; afterwards it ends in its own way.
  expect([0, 130, 'SIGINT']).toContain(await ended)
})
