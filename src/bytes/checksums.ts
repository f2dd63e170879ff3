// CRC-32 of bytes that were summed in parts. A checksum is a polynomial over two elements, with the highest power in
// the lowest bit; appending bytes multiplies it by a power of x.

const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000
/** x to the power of 8: one byte. */
const BYTE = 0x00800000

/** The checksum of two parts, from that of each. `length`: the bytes of the second. */
export function joinChecksums(first: number, second: number, length: number): number {
  return (multiply(powerOf(length), first) ^ second) >>> 0
}

/**
 * The checksum after some bytes were replaced by as many others. `old` and `fresh`: the checksums of these bytes alone.
 * `following`: the number of bytes after them.
 */
export function replaceInChecksum(sum: number, old: number, fresh: number, following: number): number {
  return (sum ^ joinChecksums(old ^ fresh, 0, following)) >>> 0
}

/** What a checksum is multiplied by when so many bytes follow. */
function powerOf(bytes: number): number {
  let power = ONE
  let factor = BYTE
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(factor, power)
    factor = multiply(factor, factor)
  }
  return power
}

function multiply(a: number, b: number): number {
  let product = 0
  let shifted = b
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL
  }
  return product >>> 0
}
