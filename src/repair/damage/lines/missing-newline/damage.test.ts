import { expect, test } from 'vitest'
import { A, B, C, readLines, repairLines } from '../../../../../test/support/broken-line.ts'
import { linkedLog, parentsOf, repairLinks } from '../../../../../test/support/linked-log.ts'
import { brokenParent } from '../../broken-parent/index.ts'
import { makeLineDamage } from '../../shared/make-line-damage.ts'
import { missingNewline } from './index.ts'

test('two records on one line are split', async () => {
  const { found, bytes } = await repairLines(missingNewline, `${A}${B}${C}\n`)
  expect(found).toEqual(['missing-newline survived', 'missing-newline survived'])
  expect(bytes).toBe(`${A}\n${B}\n${C}\n`)
})

test('a reader reads both, and says so', () =>
  expect(readLines(`${A}${B}\n${C}\n`)).toMatchObject({
    read: ['a', 'b', 'c'],
    findings: [{ damage: 'missing-newline', severity: 'survived', at: { start: A.length, end: A.length } }],
  }))

test('invalid UTF-8 outside the damage stays as it is', async () => {
  const odd = Buffer.concat([Buffer.from('{"id":"b","text":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
  const { bytes } = await repairLines(missingNewline, Buffer.concat([Buffer.from(A), odd, Buffer.from('\n')]))
  expect(bytes).toBe(`${A}\n${odd.toString('latin1')}\n`)
})

test('a link that leads to, or from, a record on such a line is right again with it', async () => {
  const [u1, a1, u2, a2] = linkedLog('u1 a1 u2 a2').split('\n')
  const both = [makeLineDamage(missingNewline), brokenParent]
  expect((await repairLinks(`${u1}${a1}\n${u2}\n${a2}\n`, both)).text).toBe(`${u1}\n${a1}\n${u2}\n${a2}\n`)
  const [v1, b1, v2, b2] = linkedLog('u1 a1 u2<? a2').split('\n')
  const { text } = await repairLinks(`${v1}\n${b1}${v2}\n${b2}\n`, both)
  expect(parentsOf(text)).toBe('u1<- a1<u1 u2<a1 a2<u2')
})
