// A trash that nothing can be put into: the conversation stays where it is, and the others are repaired all the same.
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { NAME, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'

const TRASHES = {
  'a link that leads nowhere': (path: string) => symlinkSync('/nowhere/at/all', path),
  'not a folder': (path: string) => writeFileSync(path, 'a file'),
}

test.each(Object.entries(TRASHES))('that is %s', async (what, make) => {
  const home = quickHome()
  const bad = putOne(home, { 'events.json': 'x' })
  putOne(home, { 'metadata.json': undefined }, '17935270000')
  make(join(home, 'shop/.jp/conversations/.trash'))
  const before = treeOf(bad)
  const { blocked, repaired, trashed } = await run(home)
  expect(trashed).toEqual([])
  expect(blocked).toMatchObject([{ conversation: NAME, line: expect.stringContaining(`is ${what}`) }])
  expect(repaired).toMatchObject([{ conversation: '17935270000', file: 'metadata.json' }])
  expect(treeOf(bad)).toEqual(before)
})
