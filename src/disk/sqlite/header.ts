// The first bytes of a database file: what must be known before SQLite opens it.
import { RethreadError } from '../../model/errors.ts'
import { closeHandle, openHandle, readRange } from '../files/handles.ts'
import { quote } from '../files/system-errors.ts'

const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'
const ENCODINGS: Record<number, string> = { 0: 'UTF-8', 1: 'UTF-8', 2: 'UTF-16le', 3: 'UTF-16be' }

export interface DatabaseHeader {
  pageBytes: number
  encoding: string
  isWriteAheadLogged: boolean
}

/** For a copy, `shownPath` is the path of the original, for errors. */
export function readHeader(path: string, shownPath: string): DatabaseHeader {
  const handle = openHandle(path, 'read')
  try {
    const bytes = readRange(handle, 0, HEADER_BYTES)
    const pageBytes = bytes.length < HEADER_BYTES ? 0 : pageSize(bytes.readUInt16BE(16))
    if (pageBytes === 0 || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw noDatabase(shownPath)
    return {
      pageBytes,
      encoding: ENCODINGS[bytes.readUInt32BE(56)] ?? 'UTF-8',
      isWriteAheadLogged: bytes[18] === 2,
    }
  } finally {
    closeHandle(handle)
  }
}

/** 0 for an invalid size. */
function pageSize(stored: number): number {
  const size = stored === 1 ? 65536 : stored
  return size >= 512 && (size & (size - 1)) === 0 ? size : 0
}

function noDatabase(path: string): RethreadError {
  return new RethreadError({
    code: 'database-corrupt',
    text: `${path} does not begin like a database: its first page is lost, so no other page can be found.`,
    hint: `Look for an older copy of it. What SQLite can still find in its pages: sqlite3 ${quote(path)} .recover`,
    path,
  })
}
