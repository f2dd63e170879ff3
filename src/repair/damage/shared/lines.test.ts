import { expect, test } from 'vitest'
import { toyMend, toySession, toySubject, toyTraits } from '../../../../test/support/toy-log.ts'
import type { Edit } from '../../../bytes/edits.ts'
import { Pieces } from '../../../bytes/edits.ts'
import { isPatch } from '../../../model/plan.ts'
import { byteOrderMark } from '../byte-order-mark/index.ts'
import type { LogDamage, LogSubject } from '../damage.ts'
import { malformedRecord } from '../malformed-record/index.ts'
import { missingNewline } from '../missing-newline/index.ts'
import { nulRun } from '../nul-run/index.ts'
import { rawNewline } from '../raw-newline/index.ts'
import { splicedRecord } from '../spliced-record/index.ts'
import { tornTail } from '../torn-tail/index.ts'

const A = '{"id":"a","text":"one\\ntwo"}'
const B = '{"id":"b","text":"three"}'
const C = '{"id":"c","text":"four"}'

async function mend(damage: LogDamage, subject: LogSubject): Promise<{ found: string[]; bytes: string }> {
  const detected = await damage.detect(subject)
  const edits: Edit[] = damage
    .plan(subject, detected)
    .changes.filter(isPatch)
    .flatMap(({ edits }) => edits)
  const whole = subject.bytes.range(0, subject.bytes.size)
  const pieces = Pieces.whole(whole.length).edit(edits)
  const parts = [...pieces.chunks(0, pieces.size, (start, end) => [whole.subarray(start, end)])]
  const found = detected.map(({ finding }) => `${finding.damage} ${finding.severity}`)
  return { found, bytes: Buffer.concat(parts).toString('latin1') }
}

const mendText = (damage: LogDamage, text: string | Buffer) => mend(damage, toySubject(Buffer.from(text)))
const spaces = (count: number): string => ' '.repeat(count)

test('a byte order mark is blanked', async () => {
  const { found, bytes } = await mendText(byteOrderMark, `\ufeff${A}\n${B}\n`)
  expect(found).toEqual(['byte-order-mark survived'])
  expect(bytes).toBe(`${spaces(3)}${A}\n${B}\n`)
})

test('zeros before a record are blanked', async () => {
  expect((await mendText(nulRun, `${A}\n\0\0\0\0\0\0${B}\n`)).bytes).toBe(`${A}\n${spaces(6)}${B}\n`)
})

test('zeros between two records on one line become the newline they lack', async () => {
  expect((await mendText(nulRun, `${A}\0\0\0\0\0\0${B}\n`)).bytes).toBe(`${A}\n${spaces(5)}${B}\n`)
})

test('zeros inside a text become spaces, and no newline', async () => {
  const { bytes } = await mendText(nulRun, `${A}\n{"id":"b","text":"x\0\0y"}\n`)
  expect(bytes).toBe(`${A}\n{"id":"b","text":"x  y"}\n`)
})

test('the torn beginning before a complete record is blanked', async () => {
  const { found, bytes } = await mendText(splicedRecord, `${A}\n${C.slice(0, 9)}${B}\n`)
  expect(found).toEqual(['spliced-record lost'])
  expect(bytes).toBe(`${A}\n${spaces(9)}${B}\n`)
})

test('a torn record between two complete ones on one line makes place for a newline', async () => {
  const { bytes } = await mendText(splicedRecord, `${A}${C.slice(0, 9)}${B}\n`)
  expect(bytes).toBe(`${A}\n${spaces(8)}${B}\n`)
})

test('two records on one line are split', async () => {
  expect((await mendText(missingNewline, `${A}${B}${C}\n`)).bytes).toBe(`${A}\n${B}\n${C}\n`)
})

test('a raw newline inside a record is escaped', async () => {
  expect((await mendText(rawNewline, `${A.replace('\\n', '\n')}\n${B}\n`)).bytes).toBe(`${A}\n${B}\n`)
})

test('a line that is no record is blanked, and its newline stays', async () => {
  const { found, bytes } = await mendText(malformedRecord, `${A}\n{"id":nonsense}\n${B}\n`)
  expect(found).toEqual(['malformed-record lost'])
  expect(bytes).toBe(`${A}\n${spaces(15)}\n${B}\n`)
})

test('the torn tail of a dead writer is blanked', async () => {
  const { found, bytes } = await mendText(tornTail, `${A}\n${B.slice(0, 12)}`)
  expect(found).toEqual(['torn-tail lost'])
  expect(bytes).toBe(`${A}\n${spaces(12)}`)
})

test('the torn tail of a live writer is no damage, and nothing is planned', async () => {
  const text = `${A}\n${B.slice(0, 12)}`
  const { found, bytes } = await mend(tornTail, toySubject(Buffer.from(text), true))
  expect(found).toEqual(['torn-tail updating'])
  expect(bytes).toBe(text)
})

test('invalid UTF-8 outside the damage stays as it is', async () => {
  const odd = Buffer.concat([Buffer.from('{"id":"b","text":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
  const { bytes } = await mendText(missingNewline, Buffer.concat([Buffer.from(A), odd, Buffer.from('\n')]))
  expect(bytes).toBe(`${A}\n${odd.toString('latin1')}\n`)
})

test('blank lines, CR LF and a last record without newline are no damage', () => {
  expect(toySubject(Buffer.from(`${A}\r\n\n  \n${B}`)).junk).toEqual([])
})

test('compressed files are left alone', () => {
  const all = [byteOrderMark, nulRun, splicedRecord, missingNewline, rawNewline, malformedRecord, tornTail]
  expect(all.some(damage => damage.concerns({ ...toyTraits, isCompressed: true }, toyMend))).toBe(false)
  expect(all.every(damage => damage.concerns(toyTraits, toyMend))).toBe(true)
})

const seeded = (start: number) => {
  let state = start
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return { next, below: (limit: number) => Math.floor(next() * limit) }
}

test.each([byteOrderMark, nulRun, splicedRecord, missingNewline, rawNewline, malformedRecord, tornTail])(
  'what $id inflicts it finds, whatever the seed',
  async damage => {
    for (let seed = 1; seed <= 60; seed++) {
      let bytes = Buffer.from(`${[A, B, C, A, B].join('\n')}\n`)
      damage.inflict(
        {
          session: toySession('/toy.jsonl'),
          traits: toyTraits,
          mend: toyMend,
          read: () => bytes,
          write: (_, written) => {
            bytes = Buffer.from(written)
          },
          remove: () => expect.unreachable(),
          sql: () => expect.unreachable(),
        },
        seeded(seed),
      )
      expect((await mend(damage, toySubject(bytes))).found, bytes.toString()).not.toEqual([])
    }
  },
)
