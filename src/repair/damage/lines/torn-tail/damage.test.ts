import { expect, test } from 'vitest'
import { A, B, readLines, repairLines, spaces } from '../../../../../test/support/broken-line.ts'
import { tornTail } from './index.ts'

const torn = `${A}\n${B.slice(0, 12)}`

test('the torn tail of a dead writer is blanked', async () => {
  const { found, bytes } = await repairLines(tornTail, torn)
  expect(found).toEqual(['torn-tail lost'])
  expect(bytes).toBe(`${A}\n${spaces(12)}`)
})

test('the torn tail of a live writer is not damage, and nothing is planned', async () => {
  const { found, bytes } = await repairLines(tornTail, torn, true)
  expect(found).toEqual(['torn-tail updating'])
  expect(bytes).toBe(torn)
})

test('a reader says that more may come', () =>
  expect(readLines(torn)).toMatchObject({ read: ['a'], findings: [{ damage: 'torn-tail', severity: 'updating' }] }))
