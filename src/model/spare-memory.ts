// The memory of short logs. Thousands of them follow each other, and each would leave garbage.

/** By its length. */
const spare = new Map<number, Int32Array<ArrayBuffer>[]>()
const MAX_SPARE = 4

/** New memory, or some that was given back. */
export function zeros(length: number): Int32Array<ArrayBuffer> {
  return spare.get(length)?.pop()?.fill(0) ?? new Int32Array(length)
}

/** The caller must not use it any more. */
export function giveBack(numbers: Int32Array<ArrayBuffer>): void {
  const known = spare.get(numbers.length) ?? []
  if (known.push(numbers) === 1) spare.set(numbers.length, known)
  else if (known.length > MAX_SPARE) known.pop()
}
