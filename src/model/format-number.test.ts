import { expect, test } from 'vitest'
import { formatNumber } from './format-number.ts'

test.each([0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 4_294_967_296, -1, -100, -1000])(
  '%d is written as the language writes it',
  number => expect(formatNumber(number)).toBe(number.toLocaleString('en')),
)
