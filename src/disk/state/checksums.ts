// Values in our own caches, which nobody but us writes: a checksum says that a value is, to the last bit, what was once written.
import { crc32 } from 'node:zlib'

export function seal(value: object): string {
  const json = JSON.stringify(value)
  return `${checksum(json)} ${json}`
}

/**
 * What was sealed; undefined for everything else. It has the shape it had when it was sealed, so whoever changes that shape gives it another
 * name or number. Looking at each field instead would take longer, with ten thousand values, than looking at the sessions they are about.
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
