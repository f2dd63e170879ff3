// The lock of a conversation: JP's keeps us away, and ours keeps JP away.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { linesOf, NAME, person, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { ID, SILO } from '../../../../test/support/jp/store.ts'

const LOCK = `locks/jp-c${ID}.lock`

/** Another process with the lock; it lets go when its input ends. */
async function holdElsewhere(path: string): Promise<() => Promise<void>> {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{"pid":1,"session":"7","acquired_at":"2026-07-19T14:30:00.000+00:00"}')
  const child = spawn('flock', ['-x', path, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.end()
    await once(child, 'close')
  }
}

/** The status of `flock -n`: 0 for a free lock, 1 for a held one. */
function contend(path: string): number | null {
  return spawnSync('flock', ['-n', '-x', path, 'true']).status
}

test.runIf(existsSync('/usr/bin/flock')).each([
  ['in the user’s data', SILO],
  ['in the workspace, where nothing is in the user’s data', 'shop/.jp'],
])('a conversation that JP has locked %s is skipped as a whole, and repaired once JP is done', async (_, root) => {
  const home = quickHome()
  const damage = { 'metadata.json': '{', 'events.json': '[' }
  if (root === SILO) putBoth(home, damage, damage)
  else putOne(home, damage)
  putOne(home, { 'metadata.json': undefined }, '17935270000-free')
  const letGo = await holdElsewhere(join(home, root, LOCK))
  const before = treeOf(join(home, 'shop/.jp/conversations', NAME))
  const { skipped, repaired, trashed } = await run(home)
  expect(skipped.map(({ conversation, error }) => [conversation, error])).toEqual([[NAME, 'locked']])
  expect(repaired.map(({ conversation }) => conversation)).toEqual(['17935270000-free'])
  expect(trashed).toEqual([])
  expect(treeOf(join(home, 'shop/.jp/conversations', NAME))).toEqual(before)
  await letGo()
  expect((await run(home)).trashed[0]?.conversation).toBe(NAME)
})

test.runIf(existsSync('/usr/bin/flock'))('a check says that JP is at work, and waits for nothing', async () => {
  const home = quickHome()
  putOne(home, { 'metadata.json': undefined })
  await holdElsewhere(join(home, 'shop/.jp', LOCK))
  const before = treeOf(home)
  expect((await run(home, { mode: 'check' })).skipped).toMatchObject([{ conversation: NAME, error: 'locked' }])
  expect(treeOf(home)).toEqual(before)
})

test.runIf(existsSync('/usr/bin/flock'))(
  'during a repair another program cannot take the lock; afterwards it can',
  async () => {
    const home = quickHome()
    putBoth(home, { 'events.json': '[' }, { 'events.json': '[' })
    const path = join(home, SILO, LOCK)
    const seen: (number | null)[] = []
    const decide = person(() => {
      seen.push(contend(path))
      return { type: 'leave' }
    })
    await run(home, { decide })
    // JP makes the folder as well.
    mkdirSync(dirname(path), { recursive: true })
    seen.push(contend(path))
    expect(seen).toEqual([1, 0])
  },
)

test('an unheld lock file and a missing folder of locks do not matter', async () => {
  const home = quickHome()
  putOne(home, { 'metadata.json': undefined })
  putOne(home, { 'metadata.json': undefined }, '17935270000-other')
  mkdirSync(join(home, 'shop/.jp/locks'))
  writeFileSync(join(home, 'shop/.jp', LOCK), '{"pid":1}')
  expect(linesOf(await run(home))).toEqual([
    'Repaired conversation 17935270000-other: recreated missing metadata.json',
    `Repaired conversation ${NAME}: recreated missing metadata.json`,
  ])
})
