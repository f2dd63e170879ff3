// The stored form of something a reading points at: a range of bytes, or a row as JSON.
import { openFile } from '../disk/read.ts'
import type { Row } from '../disk/sqlite.ts'
import { readDatabase } from '../disk/sqlite.ts'
import { RethreadError } from '../model/errors.ts'
import type { Place, RowPlace } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'

export async function readStored(context: Context, session: SessionRef, place: Place): Promise<Buffer> {
  if ('table' in place) return await readRow(context, session, place)
  const file = openFile(place.file, session.storeRoot)
  try {
    return file.range(place.start, place.end)
  } finally {
    file.close()
  }
}

async function readRow(context: Context, session: SessionRef, place: RowPlace): Promise<Buffer> {
  const wait = context.busyMs === undefined ? {} : { busyMs: context.busyMs }
  return await readDatabase(
    place.file,
    session.storeRoot,
    database => {
      const table = `"${place.table.replaceAll('"', '""')}"`
      const keys = database.all('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk DESC', place.table)
      // A row is named by its rowid, or by the last column of the primary key, which is the one that tells rows apart.
      const column =
        typeof place.row === 'number' ? 'rowid' : `"${String(keys[0]?.['name'] ?? 'rowid').replaceAll('"', '""')}"`
      const [row] = database.all(`SELECT * FROM ${table} WHERE ${column} = ?`, place.row)
      if (row === undefined) throw rowGone(place)
      return Buffer.from(JSON.stringify(printable(row)))
    },
    wait,
  )
}

function printable(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
    ]),
  )
}

function rowGone(place: RowPlace): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `Row ${place.row} of table ${place.table} is not there (any more).`,
    hint: 'The database changed meanwhile. Run the command again.',
    path: place.file,
  })
}
