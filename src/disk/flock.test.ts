// Locks of other programs: real files, and a real process that holds one.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../test/support/home.ts'
import { holdFlock, testFlock } from './flock.ts'

const isHere = existsSync('/usr/bin/flock') && process.platform === 'linux'

test('a lock whose file is not there is free, and nothing is made', () => {
  const path = join(temporaryHome(), 'locks', 'a.lock')
  expect(testFlock(path)).toEqual({ type: 'free' })
  expect(existsSync(path)).toBe(false)
})

test('a folder in the place of the file is not opened', () => {
  const path = join(temporaryHome(), 'a.lock')
  mkdirSync(path)
  expect(testFlock(path).type).toBe('unknown')
})

test.runIf(isHere)('a lock that another process holds is held by it, and cannot be taken', async () => {
  const path = join(temporaryHome(), 'a.lock')
  writeFileSync(path, '{}')
  const child = spawn('flock', ['-x', '--no-fork', path, 'sh', '-c', 'echo ready; exec sleep 30'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill())
  await new Promise(resolve => child.stdout.once('data', resolve))
  expect(testFlock(path)).toEqual({ type: 'held', pid: child.pid })
  expect(() => holdFlock(path)).toThrow(expect.objectContaining({ code: 'locked' }))
})

test.runIf(isHere)('a lock that we hold is held until it is released', () => {
  const path = join(temporaryHome(), 'locks', 'a.lock')
  const held = holdFlock(path)
  expect(testFlock(path).type).toBe('held')
  held.release()
  expect(testFlock(path)).toEqual({ type: 'free' })
})
