// After any damage, a run ends with conversations that JP loads or with a report, and nothing is lost.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { inFull } from '../../../../test/support/full.ts'
import { linesOf, NAME, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import { BASE } from '../../../../test/support/jp/store.ts'
import { below, type Random, seededRandom } from '../../../../test/support/random.ts'

const SEEDS = inFull(60, 10)
const GARBAGE = [
  Buffer.from([0]),
  Buffer.from([0xff]),
  Buffer.from('"'),
  Buffer.from('}'),
  Buffer.from(',]'),
  Buffer.from('\n{'),
  Buffer.from('// x\n'),
]

function damage(random: Random, path: string): void {
  const bytes = readFileSync(path)
  const at = below(random, bytes.length)
  const to = at + below(random, bytes.length - at)
  const some = GARBAGE[below(random, GARBAGE.length)] ?? Buffer.alloc(0)
  const ways = [
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]),
    () => Buffer.concat([bytes.subarray(0, at), some, bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(to - at), bytes.subarray(to)]),
    () => Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ (1 << below(random, 8)) : byte))),
    () => Buffer.concat([bytes, bytes.subarray(at)]),
    () => undefined,
  ]
  const made = ways[below(random, ways.length)]?.()
  if (made === undefined) rmSync(path)
  else writeFileSync(path, made)
}

test('random damage to one or several files, in one or both storages', async () => {
  const base = quickHome()
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed * 7919)
    const home = join(base, String(seed))
    const init = { 'init_config.json': { delta: { assistant: { model: { id: 'x' } } } } }
    const { own, local } = putBoth(home, init, { ...init, 'base_config.json': { ...BASE, user: { name: 'Ann' } } })
    putOne(home, {}, '17935270000-sound')
    const hit = [own, local].slice(0, 1 + below(random, 2))
    for (let count = 1 + below(random, 3); count > 0; count--) {
      const folder = hit[below(random, hit.length)] ?? own
      const files = readdirSync(folder)
      const file = files[below(random, files.length)]
      if (file !== undefined) damage(random, join(folder, file))
    }
    const before = new Set([...treeOf(own).values(), ...treeOf(local).values()])
    const report = await run(home, { force: true, salvage: seed % 2 === 0 })
    const after = await run(home, { mode: 'check' })
    const honest = new Set(
      [...report.lockedOut, ...report.blocked, ...report.left].map(({ conversation }) => conversation),
    )
    const open = [...after.lockedOut, ...after.blocked, ...after.left]
    expect(
      open.filter(({ conversation }) => !honest.has(conversation)),
      `seed ${seed}: ${linesOf(report).join('\n')}`,
    ).toEqual([])
    const kept = new Set(treeOf(home).values())
    expect(
      [...before].filter(content => !kept.has(content)),
      `seed ${seed}: bytes are lost`,
    ).toEqual([])
    expect(honest.has(NAME) || report.trashed.length > 0 || linesOf(after).length === 0, `seed ${seed}`).toBe(true)
    expect(
      linesOf(await run(home, { force: true })).filter(line => /^(Repaired|Degraded|Trashed)/.test(line)),
      `seed ${seed}: again`,
    ).toEqual([])
  }
})
