import { expect, test } from 'vitest'
import { addPart, claimPart, endClaims, makeClaims } from './part-claims.ts'

test('every part is claimed once, and a part that is added later is not lost by a claim that failed', () => {
  const claims = makeClaims(1, 0)
  expect([claimPart(claims), claimPart(claims), claimPart(claims)]).toEqual([0, undefined, undefined])
  addPart(claims)
  addPart(claims)
  expect([claimPart(claims), claimPart(claims), claimPart(claims)]).toEqual([1, 2, undefined])
})

test('nothing is claimed after the end', () => {
  const claims = makeClaims(2, 1)
  endClaims(claims)
  expect(claimPart(claims)).toBeUndefined()
})
