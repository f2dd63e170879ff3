import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withMatrix } from '../scripts/matrix.ts'

test('the support matrix in the README is the one the agents give (npm run matrix)', () => {
  const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8')
  expect(withMatrix(readme)).toBe(readme)
})
