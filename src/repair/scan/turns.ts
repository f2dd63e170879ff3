// Which part of a log is scanned by which of two threads: each claims the next one when it has finished the last. The
// numbers are in shared memory.

/** The parts claimed so far, how many there are, and for each place in memory whether it is in use. */
export type Turns = Int32Array<SharedArrayBuffer>

const [CLAIMED, COUNT, FIRST_PLACE] = [0, 1, 2] as const
const [FREE, USED] = [0, 1] as const

export function makeTurns(parts: number, places: number): Turns {
  const turns = new Int32Array(new SharedArrayBuffer((FIRST_PLACE + places) * Int32Array.BYTES_PER_ELEMENT))
  turns[COUNT] = parts
  return turns
}

/** The number of the next part, or undefined if all are claimed. */
export function claimPart(turns: Turns): number | undefined {
  const number = Atomics.add(turns, CLAIMED, 1)
  return number < Atomics.load(turns, COUNT) ? number : undefined
}

/** Blocks until a place is free, and marks it as used. False if there is nothing left to claim. */
export function waitForRoom(turns: Turns, place: number): boolean {
  Atomics.wait(turns, FIRST_PLACE + place, USED)
  Atomics.store(turns, FIRST_PLACE + place, USED)
  return Atomics.load(turns, CLAIMED) < Atomics.load(turns, COUNT)
}

export function freePlace(turns: Turns, place: number): void {
  Atomics.store(turns, FIRST_PLACE + place, FREE)
  Atomics.notify(turns, FIRST_PLACE + place)
}

/** Nothing can be claimed any more, and nobody waits. */
export function endTurns(turns: Turns): void {
  Atomics.store(turns, COUNT, 0)
  for (let place = 0; place < turns.length - FIRST_PLACE; place++) freePlace(turns, place)
}
