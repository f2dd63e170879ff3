import { expect, test } from 'vitest'
import type { ByteEdit } from '../../model/plan.ts'
import { mergeEdits } from './rounds.ts'

const edit = (start: number, end: number, damage: string): ByteEdit => ({
  start,
  end,
  bytes: Buffer.from('x'),
  damage,
  reason: '',
})
const notified = (edits: ByteEdit[]): string[] => mergeEdits(edits).map(({ damage, start }) => `${damage}@${start}`)

test('edits are sorted by place', () => expect(notified([edit(9, 10, 'b'), edit(1, 2, 'a')])).toEqual(['a@1', 'b@9']))

test('of two that overlap the one that is earlier in the order of repair is made', () => {
  expect(notified([edit(5, 9, 'first'), edit(3, 6, 'second')])).toEqual(['first@5'])
  expect(notified([edit(3, 6, 'first'), edit(5, 9, 'second')])).toEqual(['first@3'])
})

test('insertions at one place are all made, in the order of repair', () =>
  expect(notified([edit(5, 5, 'first'), edit(5, 5, 'second')])).toEqual(['first@5', 'second@5']))

test('an insertion right behind what is replaced is no overlap', () =>
  expect(notified([edit(3, 5, 'first'), edit(5, 5, 'second')])).toEqual(['first@3', 'second@5']))
