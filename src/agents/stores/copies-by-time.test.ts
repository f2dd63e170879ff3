// Copies are found by their times as they are by their bytes.
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { inFull } from '../../../test/support/full.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { below, type Random, seededRandom } from '../../../test/support/random.ts'
import { openFile } from '../../disk/files/read.ts'
import { CopiesByTime, TimedRecords } from './copies-by-time.ts'

const LOGS = inFull(2000, 200)

interface Line {
  time: string
  text: string
}

/** Times mostly increase. Few texts and lengths, so that records are alike. */
function makeLines(random: Random, count: number, backBy: number): Line[] {
  return Array.from({ length: count }, (_, at) => {
    const back = random() < 0.3 ? below(random, backBy) : 0
    const time = new Date(Date.UTC(2026, 10, 1) + 100 * Math.max(0, at - back)).toISOString()
    return { time, text: `${time} ${'xyz'[below(random, 3)]}${'w'.repeat(below(random, 2))}` }
  })
}

/** Whether a copy is found, if the log is cut into parts of so many lines. */
function findsCopy(lines: readonly Line[], perPart: number): boolean {
  const path = put(temporaryHome(), 'log.jsonl', lines.map(({ text }) => `${text}\n`).join(''))
  const file = openFile(path, dirname(path))
  try {
    const copies = new CopiesByTime(file)
    let start = 0
    for (let first = 0; first < lines.length; first += perPart) {
      const records = new TimedRecords(file)
      for (const { time, text } of lines.slice(first, first + perPart)) {
        const at = { file: path, start, end: start + text.length }
        records.add(time, { value: {}, bytes: Buffer.from(text), at })
        start = at.end + 1
      }
      if (copies.hasAny(structuredClone(records.rows()))) return true
    }
    return false
  } finally {
    file.close()
  }
}

test('in random logs, wherever they are cut', () => {
  const random = seededRandom(1)
  let found = 0
  for (let log = 0; log < LOGS; log++) {
    const lines = makeLines(random, 1 + below(random, 40), 1 + below(random, 30))
    const hasCopy = new Set(lines.map(({ text }) => text)).size < lines.length
    expect(findsCopy(lines, 1 + below(random, 12))).toBe(hasCopy)
    if (hasCopy) found++
  }
  expect(found).toBeGreaterThan(LOGS / 10)
  expect(found).toBeLessThan(LOGS - LOGS / 10)
})

test('in a log in which very many records have the same time and length', () => {
  const time = '2026-11-01T10:00:00.000Z'
  const lines = Array.from({ length: 3000 }, (_, at) => ({ time, text: `${time} ${String(at).padStart(6, '0')}` }))
  expect(findsCopy(lines, 1000)).toBe(false)
  expect(findsCopy([...lines, ...lines.slice(7, 8)], 1000)).toBe(true)
})
