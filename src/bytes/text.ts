// Bytes that are not text, and white space of JSON.

export function startsWithByteOrderMark(bytes: Buffer): boolean {
  return bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

export function hasNul(bytes: Buffer): boolean {
  return bytes.indexOf(0) !== -1
}

const SPACES = new Set([0x20, 0x09, 0x0d, 0x0a])

export function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (!SPACES.has(byte)) return false
  return true
}

/** The first place at or after `from` that is not JSON white space. */
export function skipSpaces(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && SPACES.has(bytes[at] ?? 0)) at++
  return at
}

/** The last place at or before `end` that does not follow JSON white space. */
export function skipSpacesBack(bytes: Buffer, end: number): number {
  let at = end
  while (at > 0 && SPACES.has(bytes[at - 1] ?? 0)) at--
  return at
}

/** The bytes without the JSON white space around them. */
export function withoutBlanks(bytes: Buffer): Buffer {
  return bytes.subarray(skipSpaces(bytes, 0), skipSpacesBack(bytes, bytes.length))
}
