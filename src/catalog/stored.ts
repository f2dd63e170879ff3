// The stored form of something that a reading points at: a range of bytes, or a row as JSON.

import { type Store, storeOf } from '../agents/store.ts'
import { placeIn } from '../archive/home-paths.ts'
import { openFile } from '../disk/files/read.ts'
import { decompressFile } from '../disk/files/zstd.ts'
import type { Database, Row } from '../disk/sqlite/read-database.ts'
import { readDatabase } from '../disk/sqlite/read-database.ts'
import { RethreadError } from '../model/errors.ts'
import type { FilePlace, Place, RowPlace } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'
import { agentOf, readableCopy } from './reading.ts'

type OpenedFile = ReturnType<typeof openFile>

export interface StoredForm {
  read(place: Place): Promise<Buffer>
  close(): void
}

/** The caller must close it. A compressed session is decompressed once for all its places. */
export async function openStored(context: Context, ref: SessionRef): Promise<StoredForm> {
  const session = ref.archived === undefined ? ref : await readableCopy(context, ref)
  const store = storeOf(agentOf(context, session), session)
  const text =
    store.traits.isCompressed === true ? await decompressFile(session.filePath, session.storeRoot) : undefined
  const files = new Map<string, OpenedFile>()
  const rangeOf = (path: string, root: string, { start, end }: FilePlace): Buffer => {
    const file = files.get(path) ?? openFile(path, root)
    files.set(path, file)
    return file.range(start, end)
  }
  return {
    async read(named) {
      const place = ref.archived === undefined ? named : placeIn(named, ref, session)
      if ('table' in place) return await readRow(context, store, session, place)
      const isInside = text !== undefined && place.file === session.filePath
      return isInside ? rangeOf(text.path, text.folder, place) : rangeOf(place.file, session.storeRoot, place)
    },
    close() {
      for (const file of files.values()) file.close()
      text?.remove()
    },
  }
}

async function readRow(context: Context, store: Store, session: SessionRef, place: RowPlace): Promise<Buffer> {
  const withheld = store.withholds?.(place)
  if (withheld !== undefined) return Buffer.from(JSON.stringify({ table: place.table, row: place.row, withheld }))
  const wait = context.busyMs === undefined ? {} : { busyMs: context.busyMs }
  const row =
    store.readRow === undefined
      ? await readDatabase(place.file, session.storeRoot, database => findRow(database, place), wait)
      : await store.readRow(session, place, wait)
  if (row === undefined) throw rowGone(place)
  return Buffer.from(JSON.stringify(printable(row)))
}

function findRow(database: Database, place: RowPlace): Row | undefined {
  return database.all(`SELECT * FROM ${name(place.table)} WHERE ${keyColumn(database, place)} = ?`, place.row)[0]
}

/** A row is named by its rowid, or by the last column of the primary key, or else by a unique column. */
function keyColumn(database: Database, { table, row }: RowPlace): string {
  if (typeof row === 'number') return 'rowid'
  const primary = database.all('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk DESC', table)
  const unique = database.all(
    'SELECT info.name FROM pragma_index_list(?) AS list JOIN pragma_index_info(list.name) AS info WHERE list."unique" = 1',
    table,
  )
  return name(String((primary[0] ?? unique[0])?.['name'] ?? 'rowid'))
}

function name(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

function printable(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, printableValue(value)]))
}

/** JSON has no byte strings and no integers beyond 2^53. */
function printableValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return typeof value === 'bigint' ? String(value) : value
}

function rowGone(place: RowPlace): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `Row ${place.row} of table ${place.table} no longer exists.`,
    hint: 'The database has changed. Run the command again.',
    path: place.file,
  })
}
