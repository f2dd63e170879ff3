import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import { putToyDatabase, seeded, toyDatabaseSubject, toyDatabaseTarget } from '../../../../test/support/toy-database.ts'
import { checkPages } from '../../../disk/sqlite/check-pages.ts'
import { damagedDatabase } from './index.ts'

const PROBLEMS = [
  { text: 'Page 3 is damaged.', start: 1024, end: 1536 },
  { text: 'Page 5 is damaged.', start: 2048, end: 2560 },
]

test('each damaged page is a finding with its place, and one rebuild repairs all', async () => {
  const session = putToyDatabase(temporaryHome())
  const pages = { problems: PROBLEMS, losses: ['table said: rows between 3 and 9'] }
  const subject = toyDatabaseSubject(session, { fills: ['INSERT INTO said SELECT 1, 2, 3'] }, { pages })
  const detected = await damagedDatabase.detect(subject)
  expect(detected).toMatchObject([
    {
      finding: { damage: 'damaged-database', severity: 'lost', at: { file: session.filePath, start: 1024, end: 1536 } },
    },
    { finding: { at: { start: 2048 }, hint: 'Repair it, with the agent closed: rethread repair a' } },
  ])
  expect(damagedDatabase.plan(subject, detected)).toEqual({
    changes: [
      {
        type: 'rebuild-database',
        file: session.filePath,
        damage: 'damaged-database',
        reason: expect.stringContaining('rows between 3 and 9'),
        fills: ['INSERT INTO said SELECT 1, 2, 3'],
      },
    ],
    refused: [],
  })
})

test('where nothing can be read it is refused with the reason', async () => {
  const session = putToyDatabase(temporaryHome())
  const subject = toyDatabaseSubject(session, {}, { pages: { problems: PROBLEMS, refused: 'The first page is lost.' } })
  const detected = await damagedDatabase.detect(subject)
  expect(damagedDatabase.plan(subject, detected)).toEqual({
    changes: [],
    refused: [{ finding: detected[0]?.finding, reason: 'The first page is lost.' }],
  })
})

test('sound pages are no finding, and neither is a database that nobody looked at', async () => {
  const session = putToyDatabase(temporaryHome())
  for (const more of [{}, { pages: { problems: [] } }])
    expect(await damagedDatabase.detect(toyDatabaseSubject(session, {}, more))).toEqual([])
})

test('what it inflicts is found at its place, and is the same for the same seed', async () => {
  for (const seed of [1, 2, 3, 4]) {
    const [first, second] = [putToyDatabase(temporaryHome()), putToyDatabase(temporaryHome())].map(session => {
      const inflicted = damagedDatabase.inflict(toyDatabaseTarget(session), seeded(seed))
      return { session, inflicted, bytes: readFileSync(session.filePath) }
    })
    if (first === undefined || second === undefined) throw new Error('nothing was made')
    expect(first.inflicted).toEqual(second.inflicted)
    expect(first.bytes.equals(second.bytes)).toBe(true)
    const problems = await checkPages(first.session.filePath, first.session.storeRoot)
    const page = Number(/page (\d+)/.exec(first.inflicted?.what ?? '')?.[1])
    expect(
      problems.map(({ start }) => start / 512 + 1),
      first.inflicted?.what,
    ).toContain(page)
  }
})
