import { openSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { nodeFiles, secondsOf } from './system-calls.ts'

const microseconds = (ns: bigint) => ns / 1000n

test('times are set to the very microsecond', () => {
  const fd = openSync(put(temporaryHome(), 'a', ''), 'r+')
  // Up to the year 2038: from then on, neighbouring doubles are half a microsecond apart, and a few times are missed by one.
  const times = fc.bigInt({ min: 0n, max: 2_147_483_647_999_999_999n })
  fc.assert(
    fc.property(times, times, (accessed, modified) => {
      nodeFiles.setTimes(fd, accessed, modified)
      const stats = nodeFiles.fstat(fd)
      expect(microseconds(stats.mtimeNs)).toBe(microseconds(modified))
      expect(microseconds(stats.atimeNs)).toBe(microseconds(accessed))
    }),
  )
  nodeFiles.close(fd)
})

test('a time that Node can set exactly stays exact', () => {
  expect(secondsOf(1_700_000_000_000_000_000n)).toBe(1_700_000_000)
  expect(secondsOf(1_700_000_000_500_000_000n)).toBe(1_700_000_000.5)
})
