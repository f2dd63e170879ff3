import { expect, test } from 'vitest'
import { A, B, readLines, repairLines, spaces } from '../../../../../test/support/broken-line.ts'
import { byteOrderMark } from './index.ts'

test('a byte order mark is blanked', async () => {
  const { found, bytes } = await repairLines(byteOrderMark, `\ufeff${A}\n${B}\n`)
  expect(found).toEqual(['byte-order-mark survived'])
  expect(bytes).toBe(`${spaces(3)}${A}\n${B}\n`)
})

test('a reader reads the first record behind it, and says so', () => {
  expect(readLines(`\ufeff${A}\n${B}\n`)).toMatchObject({
    read: ['a', 'b'],
    findings: [{ damage: 'byte-order-mark', severity: 'survived', at: { start: 0, end: 3 } }],
  })
})

test('it is one at the beginning of the file alone', async () =>
  expect((await repairLines(byteOrderMark, `${A}\n\ufeff${B}\n`)).found).toEqual([]))
