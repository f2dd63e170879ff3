// An agent must see nothing of the person who runs the tests, and must not outlive its turn.
import { expect, it } from 'vitest'
import { temporaryHome } from '../support/home.ts'
import { runProcess } from './run-process.ts'

it('an agent gets a home of its own and none of our variables', async () => {
  const home = temporaryHome()
  const ran = await runProcess('/usr/bin/env', [], { home, folder: home, variables: { KEY: 'x' }, timeoutMs: 60_000 })
  const names = ran.stdout
    .trim()
    .split('\n')
    .map(line => line.split('=')[0])
  expect(names.sort()).toEqual(['HOME', 'KEY', 'PATH', 'TERM'])
  expect(ran.stdout).toContain(`HOME=${home}\n`)
})

it('an agent that hangs is ended with what it started, and that is a result', async () => {
  const home = temporaryHome()
  const script = 'sleep 1000 & echo $!; wait'
  const hang = (timeoutMs: number) =>
    runProcess('/bin/sh', ['-c', script], { home, folder: home, variables: {}, timeoutMs })
  let ran = await hang(500)
  // A busy machine needs longer to start it.
  for (let timeoutMs = 1000; ran.stdout === ''; timeoutMs *= 2) ran = await hang(timeoutMs)
  expect(ran.isHung).toBe(true)
  const started = Number(ran.stdout.trim())
  expect(started).toBeGreaterThan(0)
  // It counts as running until the system has collected it, which can take a while.
  await expect.poll(() => isRunning(started)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
