// Killed at every single call that writes: the next run finishes or begins again, and nothing is lost or left lying.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectTidy, killAtEachCall } from '../../../../test/support/jp/kill.ts'
import { linesOf, NAME, placeIn, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { BASE, type Files } from '../../../../test/support/jp/store.ts'
import { makeSilentDecider } from '../../silent-decider.ts'
import { sanitizer } from './index.ts'

const DAMAGE: Files = {
  'metadata.json': '{"title":"Kept","pinn',
  'base_config.json': JSON.stringify({ ...BASE, style: { typewriter: { text_delay: 3 } } }),
  'init_config.json': '{',
  'events.json': '[{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"},{"tim',
}

test('a repair of every file of a conversation', async () => {
  const calls = await killAtEachCall(
    home => void putOne(home, DAMAGE),
    home => run(home, { salvage: true }),
    async (home, call) => {
      await run(home, { salvage: true })
      expectTidy(home, call)
      expect(linesOf(await run(home, { mode: 'check' })), call).toEqual([])
      const tree = treeOf(join(home, 'shop/.jp/conversations', NAME))
      for (const [name, content] of Object.entries(DAMAGE)) {
        const start = `${name.replace('.json', '')}.corrupted.`
        const kept = [...tree].filter(([path]) => path.startsWith(start)).map(([, bytes]) => bytes)
        expect(kept, `${call} ${name}`).toEqual([content])
      }
    },
  )
  expect(calls).toBeGreaterThan(50)
})

test('a conversation on its way to the trash, from both storages', async () => {
  await killAtEachCall(
    home => void putBoth(home, { 'events.json': '[' }, { 'events.json': undefined }),
    run,
    async (home, call) => {
      await run(home)
      expectTidy(home, call)
      expect(linesOf(await run(home, { mode: 'check' })), call).toEqual([])
      const trashed = await sanitizer.trash.list(placeIn(home))
      expect(
        trashed.map(({ name, isOurs }) => [name, isOurs]),
        call,
      ).toEqual([
        [NAME, true],
        [NAME, true],
      ])
    },
  )
})

test('a conversation on its way back', async () => {
  const back = (home: string) =>
    sanitizer.trash.restore({ ...placeIn(home), name: NAME, decide: makeSilentDecider(), salvage: true })
  await killAtEachCall(
    async home => {
      putOne(home, { 'metadata.json': DAMAGE['metadata.json'], 'events.json': DAMAGE['events.json'] })
      await run(home)
    },
    back,
    async (home, call) => {
      const folder = join(home, 'shop/.jp/conversations', NAME)
      if (!existsSync(folder)) await back(home)
      else await run(home)
      expectTidy(home, call)
      expect(linesOf(await run(home, { mode: 'check' })), call).toEqual([])
      expect(readFileSync(join(folder, 'metadata.json'), 'utf8'), call).toContain('"Kept"')
      expect(existsSync(join(folder, 'TRASHED.md')), call).toBe(false)
    },
  )
})
