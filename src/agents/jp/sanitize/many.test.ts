// A large store, and two of us at once.
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { inFull } from '../../../../test/support/full.ts'
import { linesOf, NAME, putOne, run } from '../../../../test/support/jp/run.ts'

const MANY = inFull(5000, 250)

test(`${MANY} conversations are examined with progress, and only the damaged are touched`, async () => {
  const home = quickHome()
  const first = putOne(home, { 'events.json': '[]' }, '17935000000')
  for (let index = 1; index < MANY; index++)
    cpSync(first, join(home, 'shop/.jp/conversations', String(17935000000 + index)), { recursive: true })
  putOne(home, { 'metadata.json': undefined })
  const seen = { examining: [] as number[], repairing: [] as number[] }
  const totals = new Set<string>()
  const report = await run(home, {
    onProgress(done, total, phase) {
      seen[phase].push(done)
      totals.add(`${phase} ${total}`)
    },
  })
  expect(seen).toEqual({ examining: Array.from({ length: MANY + 1 }, (_, index) => index + 1), repairing: [1] })
  expect([...totals]).toEqual([`examining ${MANY + 1}`, 'repairing 1'])
  expect(report.conversations).toBe(MANY + 1)
  expect(linesOf(report)).toEqual([`Repaired conversation ${NAME}: recreated missing metadata.json`])
})

test('two at once do each thing once', async () => {
  const home = quickHome()
  const names = Array.from({ length: 8 }, (_, index) => `1793527000${index}`)
  for (const name of names) putOne(home, { 'metadata.json': 'broken', 'base_config.json': '{' }, name)
  const reports = await Promise.all([run(home), run(home)])
  const repaired = reports.flatMap(report => report.repaired.map(({ conversation, file }) => `${conversation} ${file}`))
  expect(new Set(repaired).size).toBe(repaired.length)
  expect(reports.flatMap(({ blocked, trashed }) => [...blocked, ...trashed])).toEqual([])
  expect(linesOf(await run(home, { mode: 'check' }))).toEqual([])
  for (const name of names)
    expect(
      readdirSync(join(home, 'shop/.jp/conversations', name)).filter(file => file.includes('corrupted')),
    ).toHaveLength(2)
})
