import { expect, test } from 'vitest'
import { A, B, C, readLines, repairLines, spaces } from '../../../../../test/support/broken-line.ts'
import { nulRun } from './index.ts'

test('zeros before a record are blanked', async () => {
  const { found, bytes } = await repairLines(nulRun, `${A}\n\0\0\0\0\0\0${B}\n`)
  expect(found).toEqual(['nul-run lost'])
  expect(bytes).toBe(`${A}\n${spaces(6)}${B}\n`)
})

test('zeros between two records on one line become the newline they lack', async () => {
  expect((await repairLines(nulRun, `${A}\0\0\0\0\0\0${B}\n`)).bytes).toBe(`${A}\n${spaces(5)}${B}\n`)
})

test('zeros inside a text become spaces, and no newline', async () => {
  const { bytes } = await repairLines(nulRun, `${A}\n{"id":"b","text":"x\0\0y"}\n`)
  expect(bytes).toBe(`${A}\n{"id":"b","text":"x  y"}\n`)
})

test('zeros around a record are named, and the record is read', () => {
  const { read, findings } = readLines(`\0\0\0${A}\n${B}\0\0\n\0\0\0\0`)
  expect(read).toEqual(['a', 'b'])
  const second = 3 + A.length + 1 + B.length
  expect(findings.map(({ damage, at }) => [damage, at])).toMatchObject([
    ['nul-run', { start: 0, end: 3 }],
    ['nul-run', { start: second, end: second + 2 }],
    ['nul-run', { start: second + 3, end: second + 7 }],
  ])
})

test('zeros inside a text are read as spaces', () =>
  expect(readLines(`${B.replace('hre', '\0\0\0')}\n`, 'text').read).toEqual(['t   e']))

test('zeros that may have wiped out the border of two records never make one record of both', () => {
  const bytes = Buffer.from(`${A}\n${B}\n${C}\n`).fill(0, A.length - 3, A.length + 9)
  const { read, findings } = readLines(bytes)
  expect(read).toEqual(['c'])
  expect(findings).toMatchObject([{ damage: 'nul-run', at: { start: A.length - 3, end: A.length + 9 } }, {}, {}])
})

test('a record behind zeros that overran another is read', () =>
  expect(readLines(`${A.slice(0, 20)}${'\0'.repeat(100)}${B}\n`).read).toEqual(['b']))
