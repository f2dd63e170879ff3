// Which part of a log is scanned by which of two threads: each claims the next one when it has finished the last. The
// numbers are in shared memory.

/** The parts claimed so far, how many there are, and for each place in memory whether it is in use. */
export type Claims = Int32Array<SharedArrayBuffer>

const [CLAIMED, COUNT, FIRST_PLACE] = [0, 1, 2] as const
const [FREE, USED] = [0, 1] as const

export function makeClaims(parts: number, places: number): Claims {
  const claims = new Int32Array(new SharedArrayBuffer((FIRST_PLACE + places) * Int32Array.BYTES_PER_ELEMENT))
  claims[COUNT] = parts
  return claims
}

/** How many parts there are. */
export function countClaims(claims: Claims): number {
  return Atomics.load(claims, COUNT)
}

/** The number of the next part, or undefined if all are claimed. */
export function claimPart(claims: Claims): number | undefined {
  for (let number = Atomics.load(claims, CLAIMED); number < Atomics.load(claims, COUNT); ) {
    const claimed = Atomics.compareExchange(claims, CLAIMED, number, number + 1)
    if (claimed === number) return number
    number = claimed
  }
  return undefined
}

/** One more part can be claimed. */
export function addPart(claims: Claims): void {
  Atomics.add(claims, COUNT, 1)
}

/** Blocks until a place is free, and marks it as used. */
export function waitForPlace(claims: Claims, place: number): void {
  Atomics.wait(claims, FIRST_PLACE + place, USED)
  Atomics.store(claims, FIRST_PLACE + place, USED)
}

/** The same. False if there is nothing left to claim. */
export function waitForRoom(claims: Claims, place: number): boolean {
  waitForPlace(claims, place)
  return Atomics.load(claims, CLAIMED) < Atomics.load(claims, COUNT)
}

export function freePlace(claims: Claims, place: number): void {
  Atomics.store(claims, FIRST_PLACE + place, FREE)
  Atomics.notify(claims, FIRST_PLACE + place)
}

/** Nothing can be claimed any more, and nobody waits. */
export function endClaims(claims: Claims): void {
  Atomics.store(claims, COUNT, 0)
  for (let place = 0; place < claims.length - FIRST_PLACE; place++) freePlace(claims, place)
}
