// Locks of other programs: real files, and a real process that holds one.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
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

/** Only this program is found from now on. */
function leaveOnly(program: string): void {
  const folder = temporaryHome()
  symlinkSync(join('/usr/bin', program), join(folder, program))
  vi.stubEnv('PATH', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
}

const CALLERS = ['flock', 'perl'].filter(program => existsSync(join('/usr/bin', program)))

test.runIf(isHere).each(CALLERS)(
  'with %s: a lock that another process holds is held by it, and cannot be taken',
  async program => {
    const path = join(temporaryHome(), 'a.lock')
    writeFileSync(path, '{}')
    const child = spawn('/usr/bin/flock', ['-x', '--no-fork', path, '/bin/sh', '-c', 'echo ready; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void child.kill())
    await new Promise(resolve => child.stdout.once('data', resolve))
    leaveOnly(program)
    expect(testFlock(path)).toEqual({ type: 'held', pid: child.pid })
    expect(() => holdFlock(path)).toThrow(expect.objectContaining({ code: 'locked' }))
  },
)

test.runIf(isHere).each(CALLERS)(
  'with %s: a lock that we hold is held until it is released, and then its file is gone',
  program => {
    const path = join(temporaryHome(), 'locks', 'a.lock')
    leaveOnly(program)
    const held = holdFlock(path)
    expect(testFlock(path).type).toBe('held')
    expect(spawnSync('/usr/bin/flock', ['-n', path, '/bin/true']).status).toBe(1)
    held.release()
    expect(testFlock(path)).toEqual({ type: 'free' })
    expect(existsSync(path)).toBe(false)
  },
)

test.runIf(isHere)('the lock file of another program stays; an empty one was left by rethread', () => {
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
