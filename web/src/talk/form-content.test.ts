import { expect, test } from 'vitest'
import type { QuestionField } from '../../../src/server/protocol.ts'
import { contentOf, missingIn } from './form-content.ts'

const field = (name: string, type: QuestionField['type'], isRequired = false): QuestionField => ({
  name,
  title: name.toUpperCase(),
  description: null,
  type,
  options: [],
  isRequired,
})
const FIELDS = [field('a', 'text', true), field('b', 'integer'), field('c', 'boolean'), field('d', 'choices')]

test('numbers are numbers, what is empty is left out', () => {
  expect(contentOf(FIELDS, { a: 'x', b: '3', d: ['one'] })).toEqual({ a: 'x', b: 3, c: false, d: ['one'] })
  expect(contentOf(FIELDS, { a: '' })).toEqual({ c: false, d: [] })
})

test('what is missing, or is no number, is named', () => {
  expect(missingIn(FIELDS, {})).toBe('A')
  expect(missingIn(FIELDS, { a: 'x', b: '1.5' })).toBe('B')
  expect(missingIn(FIELDS, { a: 'x' })).toBeUndefined()
})
