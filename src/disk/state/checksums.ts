// Values in caches that only rethread writes. A checksum proves that a value is exactly what was written.
import { crc32 } from 'node:zlib'

export function seal(value: object): string {
  const json = JSON.stringify(value)
  return `${checksum(json)} ${json}`
}

/**
 * Returns the sealed value; undefined for everything else. It has the shape it had when it was sealed, so a
 * change of that shape needs another name or number. Validating each field of ten thousand values would take
 * longer than scanning the sessions they describe.
 */
export function unseal(text: string): unknown {
  const border = text.indexOf(' ')
  if (border === -1) return undefined
  const json = text.slice(border + 1)
  return text.slice(0, border) === checksum(json) ? JSON.parse(json) : undefined
}

function checksum(json: string): string {
  return crc32(json).toString(16)
}
