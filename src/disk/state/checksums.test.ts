import { expect, test } from 'vitest'
import { seal, unseal } from './checksums.ts'

const VALUE = { text: 'é \u2028 \u0000 "\\', list: [1, null, { deep: true }] }

test('what was sealed comes out as it was', () => {
  expect(unseal(seal(VALUE))).toEqual(VALUE)
})

test.each([
  ['nothing', ''],
  ['text of another kind', JSON.stringify(VALUE)],
  ['a seal without a value', `${seal(VALUE).split(' ')[0]} `],
  ['a value cut short', seal(VALUE).slice(0, -1)],
  ['a value that was made longer', `${seal(VALUE)} `],
  ['a value with one other digit', seal(VALUE).replace('[1', '[2')],
])('%s gives no value', (_, text) => {
  expect(unseal(text)).toBeUndefined()
})
