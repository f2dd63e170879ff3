// node parse-stored.js FOLDER: JSON.parse and JSON.stringify of every line, document and column of JSON in the files of a folder, and
// nothing else. No reader in JavaScript that uses one thread can be faster than this.
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const NEWLINE = 10
const DATABASE = Buffer.from('SQLite format 3\0')
const chunk = Buffer.alloc(1024 * 1024)
let characters = 0

for (const entry of readdirSync(process.argv[2] ?? '', { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const path = join(entry.parentPath, entry.name)
  if (path.endsWith('.jsonl')) parseLines(path)
  else if (path.endsWith('.json')) parse(readFileSync(path, 'utf8'))
  else if (isDatabase(path)) parseColumns(path)
}
process.stdout.write(`${characters}\n`)

function parse(text) {
  characters += JSON.stringify(JSON.parse(text)).length
}

function parseLines(path) {
  const fd = openSync(path, 'r')
  let rest = Buffer.alloc(0)
  for (let got = readSync(fd, chunk); got > 0; got = readSync(fd, chunk)) {
    const bytes = Buffer.concat([rest, chunk.subarray(0, got)])
    let from = 0
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      parse(bytes.toString('utf8', from, at))
      from = at + 1
    }
    rest = Buffer.from(bytes.subarray(from))
  }
  closeSync(fd)
}

function parseColumns(path) {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  for (const { name } of tables)
    for (const row of database.prepare(`SELECT * FROM "${name}"`).iterate())
      for (const value of Object.values(row)) {
        const text = value instanceof Uint8Array ? Buffer.from(value.buffer, 0, value.length).toString() : value
        if (typeof text === 'string' && /^[[{]\s*[[{"\]}]/.test(text)) parse(text)
      }
  database.close()
}

function isDatabase(path) {
  const fd = openSync(path, 'r')
  const start = Buffer.alloc(DATABASE.length)
  readSync(fd, start)
  closeSync(fd)
  return start.equals(DATABASE)
}
