// Where a page ended: the position of its last row, not a number of rows, so that the next page is right
// even after sessions were added or removed.
import { RethreadError } from '../../model/errors.ts'
import { KEY } from './key.ts'
import type { Mode, SortPosition } from './order.ts'

/** Occurs in no part: control characters are removed from sort texts. */
const SEPARATOR = '\u0000'

export function writeCursor(mode: Mode, { group, sort, key }: SortPosition): string {
  return Buffer.from([nameOf(mode), group, String(sort), key].join(SEPARATOR)).toString('base64url')
}

export function readCursor(mode: Mode, cursor: string): SortPosition {
  const [name, group, sort, key, ...others] = Buffer.from(cursor, 'base64url').toString('utf8').split(SEPARATOR)
  if (group === undefined || sort === undefined || key === undefined || others.length > 0 || !KEY.test(key))
    throw wrongCursor('was not issued by this server')
  if (name !== nameOf(mode)) throw wrongCursor('belongs to a list with another order')
  if (mode.sort === 'title') return { group, sort, key }
  const value = Number(sort)
  if (sort.trim() === '' || !Number.isFinite(value)) throw wrongCursor('was not issued by this server')
  return { group, sort: value, key }
}

function nameOf({ group, sort, order }: Mode): string {
  return `${group}.${sort}.${order}`
}

function wrongCursor(what: string): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `The cursor ${what}.`,
    hint: 'Ask for the first page again, without a cursor.',
  })
}
