import { expect, test } from 'vitest'
import { A, B, C, readLines } from '../../../../test/support/broken-line.ts'
import { toyRepair, toySession, toySubject, toyTraits } from '../../../../test/support/toy-log.ts'
import { splitLines } from '../../../bytes/lines.ts'
import { readRecords } from '../../../bytes/records.ts'
import { brokenLines } from '../lines/index.ts'
import { makeLineDamage } from './make-line-damage.ts'

const all = brokenLines.map(makeLineDamage)
/** The toy's agent, as one that has every kind of broken line. */
const anyTraits = { ...toyTraits, splitsAtSeparators: true }

test('blank lines, CR LF and a last record without newline are no damage', () => {
  expect(toySubject(Buffer.from(`${A}\r\n\n  \n${B}`)).junk).toEqual([])
  expect(readLines(`${A}\r\n\n  \n${B}`)).toEqual({ read: ['a', 'b'], findings: [] })
})

test('compressed files are left alone', () => {
  expect(all.some(damage => damage.appliesTo({ ...anyTraits, isCompressed: true }, toyRepair))).toBe(false)
  expect(all.every(damage => damage.appliesTo(anyTraits, toyRepair))).toBe(true)
})

test('a new kind of broken line is recognised by the rule it brings, before those behind it in the list', () => {
  const markup = {
    id: 'markup',
    rule: { place: 'end-of-line' as const, recognises: (bytes: Buffer) => bytes[0] === '<'.charCodeAt(0) },
  }
  const lines = splitLines([Buffer.from(`${A}\n<p>no record</p>\n${B}\n`)])
  const items = [...readRecords(lines, toyRepair.isRecord, [markup, ...brokenLines])]
  expect(items.map(item => (item.type === 'junk' ? item.kind : item.value['id']))).toEqual(['a', 'markup', 'b'])
})

const seeded = (start: number) => {
  let state = start
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return { next, below: (limit: number) => Math.floor(next() * limit) }
}

test.each(all)('what $id inflicts it finds, whatever the seed', async damage => {
  for (let seed = 1; seed <= 60; seed++) {
    let bytes = Buffer.from(`${[A, B, C.replace('four', 'four and more'), A, B].join('\n')}\n`)
    damage.inflict(
      {
        session: toySession('/toy.jsonl'),
        traits: toyTraits,
        repair: toyRepair,
        read: () => bytes,
        write: (_, written) => {
          bytes = Buffer.from(written)
        },
        remove: () => expect.unreachable(),
        sql: () => expect.unreachable(),
      },
      seeded(seed),
    )
    expect(await damage.detect(toySubject(bytes)), bytes.toString()).not.toEqual([])
  }
})
