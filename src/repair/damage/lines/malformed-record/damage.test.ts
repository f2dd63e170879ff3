import { expect, test } from 'vitest'
import { A, B, readLines, repairLines, spaces } from '../../../../../test/support/broken-line.ts'
import { malformedRecord } from './index.ts'

test('a line that is not a record is blanked, and its newline stays', async () => {
  const { found, bytes } = await repairLines(malformedRecord, `${A}\n{"id":nonsense}\n${B}\n`)
  expect(found).toEqual(['malformed-record lost'])
  expect(bytes).toBe(`${A}\n${spaces(15)}\n${B}\n`)
})

test('a reader continues after it and reports what was lost', () =>
  expect(readLines(`${A}\n{"id":nonsense}\n${B}\n`)).toMatchObject({
    read: ['a', 'b'],
    findings: [{ damage: 'malformed-record', severity: 'lost', text: '15 bytes that are not a record.' }],
  }))
