// The JSON values that a session is stored in: lines of a log, documents, files of a tree, cells of a database.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SessionRef } from '../../src/model/session.ts'

export interface StoredJson {
  name: string
  text: string
  write(text: string): void
}

export function storedJson(session: SessionRef): StoredJson[] {
  const { filePath } = session
  if (/\.(?:db|sqlite|sqlite3|vscdb)$/.test(filePath)) return cellsOf(filePath)
  if (filePath.endsWith('.jsonl')) return linesOf(filePath)
  const tree = filePath.includes('/storage/session/') ? join(dirname(filePath), '../..') : undefined
  if (tree !== undefined) return filesBelow(tree).map(documentAt)
  return isJson(readFileSync(filePath, 'utf8')) ? [documentAt(filePath)] : []
}

function linesOf(path: string): StoredJson[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map((text, index) => ({
    name: `line ${index + 1} of ${basename(path)}`,
    text,
    write: changed => writeFileSync(path, `${lines.with(index, changed).join('\n')}\n`),
  }))
}

function documentAt(path: string): StoredJson {
  return { name: basename(path), text: readFileSync(path, 'utf8'), write: text => writeFileSync(path, text) }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\/(?:message|part)(?:\/|$)/.test(entry.parentPath))
    .map(entry => join(entry.parentPath, entry.name))
}

/** Cells that hold an object or a list in JSON. */
function cellsOf(path: string): StoredJson[] {
  const use = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(path)
    database.exec('PRAGMA synchronous = OFF')
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return use(database => {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables.flatMap(({ name: table }) =>
      database
        .prepare(`SELECT rowid AS at, * FROM "${table}"`)
        .all()
        .flatMap(({ at, ...row }) =>
          Object.entries(row).flatMap(([column, value]): StoredJson[] => {
            const isBytes = value instanceof Uint8Array
            const text = isBytes ? Buffer.from(value).toString('utf8') : value
            if (typeof text !== 'string' || !isJson(text)) return []
            const write = (changed: string): void => {
              const sql = `UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`
              use(own => own.prepare(sql).run(isBytes ? Buffer.from(changed) : changed, at ?? null))
            }
            return [{ name: `${table}.${column}, row ${at}`, text, write }]
          }),
        ),
    )
  })
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
