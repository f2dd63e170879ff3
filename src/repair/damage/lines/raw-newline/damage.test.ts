import { expect, test } from 'vitest'
import { A, B, readLines, repairLines } from '../../../../../test/support/broken-line.ts'
import { rawNewline } from './index.ts'

const broken = `${A.replace('\\n', '\n')}\n${B}\n`

test('a raw newline inside a record is escaped', async () => {
  const { found, bytes } = await repairLines(rawNewline, broken)
  expect(found).toEqual(['raw-newline survived'])
  expect(bytes).toBe(`${A}\n${B}\n`)
})

test('a reader puts the record together again, and says so', () => {
  expect(readLines(broken)).toMatchObject({
    read: ['a', 'b'],
    findings: [{ damage: 'raw-newline', severity: 'survived', at: { start: 0, end: A.length - 1 } }],
  })
  expect(readLines(broken, 'text').read).toEqual(['one\ntwo', 'three'])
})
