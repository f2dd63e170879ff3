// Texts as they are searched and sorted by.
import { createHash } from 'node:crypto'
import type { Entry } from './entries.ts'

/** Without case, width and control characters. A cursor contains no control characters either. */
export function foldForSort(text: string): string {
  if (!/[^ -~]/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed()
}

/** Paths keep their case, which tells them apart. */
export function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').toWellFormed()
}

/** No more bytes than this, so that it fits into a cursor; two long texts that begin alike stay different. */
export function bounded(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, HASH_LENGTH)
  const cut = bytes.subarray(0, maxBytes - HASH_LENGTH - 1).toString('utf8')
  // A character that was cut in two has become a mark that takes more room than it had.
  return `${cut.replace(/\ufffd+$/, '')}~${hash}`
}

const HASH_LENGTH = 10

/** YYYY-MM-DD in the time zone of the server. */
export function dayOf(entry: Entry): string {
  entry.derived.day ??= localDay(entry.time)
  return entry.derived.day
}

function localDay(time: number): string {
  const date = new Date(time)
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  return parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}
