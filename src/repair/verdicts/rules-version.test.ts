import { expect, test } from 'vitest'
import { damages } from '../damage/index.ts'
import { RULES_VERSION, rulesVersionOf } from './rules-version.ts'

const LIST = [{ id: 'first' }, { id: 'second', version: 2 }, { id: 'third' }]

test('the version of the rules is that of the list of damages', () => {
  expect(RULES_VERSION).toBe(rulesVersionOf(damages))
  expect(rulesVersionOf(LIST)).toBe(rulesVersionOf(structuredClone(LIST)))
})

test.each([
  ['a damage more', [...LIST, { id: 'fourth' }]],
  ['a damage less', LIST.slice(0, -1)],
  ['another order', LIST.toReversed()],
  ['another version of one of them', [{ id: 'first', version: 2 }, ...LIST.slice(1)]],
])('%s makes it another one', (_, list) => expect(rulesVersionOf(list)).not.toBe(rulesVersionOf(LIST)))

test('so does another version of what all of them build on', () =>
  expect(rulesVersionOf(LIST, 1)).not.toBe(rulesVersionOf(LIST, 2)))

test('without any of the damages in the list it is another one', () => {
  const without = damages.map(one => rulesVersionOf(damages.filter(other => other !== one)))
  expect(new Set([...without, RULES_VERSION]).size).toBe(damages.length + 1)
})
