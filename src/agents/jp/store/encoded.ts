// Texts that JP stores in base64.
import { isUtf8 } from 'node:buffer'
import { asArray, asObject } from '../../stores/values.ts'

/** JP stores the contents of tools and metadata in base64. Any other string is used as it is. */
export function decodeText(text: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text && isUtf8(bytes)) return bytes.toString('utf8')
  return decodeUrlSafe(text) ?? text
}

/**
 * Decodes the URL-safe base64 of an early version, which JP no longer decodes. Short words look the same and
 * stay unchanged.
 */
function decodeUrlSafe(text: string): string | undefined {
  if (text.length < SURELY_ENCODED || text.length % 4 !== 0 || !/[-_]/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const isIt = bytes.toString('base64url') === text.replace(/={1,2}$/, '')
  return isIt && isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

const SURELY_ENCODED = 24

/** Deeper values stay encoded. */
const MAX_DEPTH = 200

/** Decodes every string, at any depth. */
export function decodeStrings(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return decodeText(value)
  if (depth === MAX_DEPTH) return value
  const list = asArray(value)
  if (list !== undefined) return list.map(item => decodeStrings(item, depth + 1))
  const map = asObject(value)
  if (map === undefined) return value
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, decodeStrings(item, depth + 1)]))
}
