import { expect, test } from 'vitest'
import { A, B, C, readLines, repairLines, spaces } from '../../../../../test/support/broken-line.ts'
import { splicedRecord } from './index.ts'

test('the torn beginning before a complete record is blanked', async () => {
  const { found, bytes } = await repairLines(splicedRecord, `${A}\n${C.slice(0, 9)}${B}\n`)
  expect(found).toEqual(['spliced-record lost'])
  expect(bytes).toBe(`${A}\n${spaces(9)}${B}\n`)
})

test('a torn record between two complete ones on one line makes place for a newline', async () => {
  const { bytes } = await repairLines(splicedRecord, `${A}${C.slice(0, 9)}${B}\n`)
  expect(bytes).toBe(`${A}\n${spaces(8)}${B}\n`)
})

test('a reader reads the complete one, and says what was lost', () =>
  expect(readLines(`${A}\n${C.slice(0, 9)}${B}\n`)).toMatchObject({
    read: ['a', 'b'],
    findings: [{ damage: 'spliced-record', severity: 'lost', at: { start: A.length + 1, end: A.length + 10 } }],
  }))
