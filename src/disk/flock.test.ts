// Locks of other programs: real files, and a real process that holds one.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
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

test.runIf(isHere)('a lock that we hold is held until it is released, and then its file is gone', () => {
  const path = join(temporaryHome(), 'locks', 'a.lock')
  const held = holdFlock(path)
  expect(testFlock(path).type).toBe('held')
  held.release()
  expect(testFlock(path)).toEqual({ type: 'free' })
  expect(existsSync(path)).toBe(false)
})

test.runIf(isHere)('the file of somebody else stays; an empty one was left by us', () => {
  const home = temporaryHome()
  for (const [name, content] of [
    ['theirs', '{"pid":1}'],
    ['ours', ''],
  ] as const) {
    writeFileSync(join(home, name), content)
    holdFlock(join(home, name)).release()
  }
  expect(readdirSync(home)).toEqual(['theirs'])
})

test.runIf(isHere)('a name that another has taken while we held it is left to it', () => {
  const path = join(temporaryHome(), 'a.lock')
  const held = holdFlock(path)
  rmSync(path)
  writeFileSync(path, '')
  held.release()
  expect(existsSync(path)).toBe(true)
})

test('where no lock can be taken, nothing is made', () => {
  const home = temporaryHome()
  vi.stubEnv('PATH', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(() => holdFlock(join(home, 'locks', 'a.lock'))).toThrow(expect.objectContaining({ code: 'unsupported' }))
  expect(readdirSync(home)).toEqual([])
})
