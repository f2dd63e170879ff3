// Finds records that are in a log a second time, by their bytes while the log is read. Each is shown once.
import { crc32 } from 'node:zlib'
import type { OpenFile } from '../../disk/files/read.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { CloseColumn, Column } from '../../model/columns.ts'
import { DuplicateCandidates } from '../../model/duplicate-candidates.ts'
import type { Findings } from '../../model/finding.ts'
import { formatNumber } from '../../model/format-number.ts'
import type { FilePlace } from '../../model/message.ts'
import type { LogRecord } from './json-lines.ts'

const NONE = -1

export interface CopyRow {
  /** Of the key. */
  checksum: number
  keyLength: number
  at: FilePlace
}

const NUMBERS_PER_ROW = 4

/** The records of a part of a log, of which it is known only later whether they were there before. */
export class CopyRows {
  readonly #rows: number[] = []

  add({ at }: LogRecord, key: Buffer): void {
    this.#rows.push(crc32(key), key.length, at.start, at.end)
  }

  clear(): void {
    this.#rows.length = 0
  }

  /** Plain data. */
  toNumbers(): Float64Array {
    return new Float64Array(this.#rows)
  }
}

export class Copies {
  readonly #file: OpenFile
  readonly #alike = new DuplicateCandidates()
  readonly #starts = new CloseColumn()
  readonly #lengths = new Column(Uint32Array)
  #first: FilePlace | undefined
  #count = 0

  constructor(file: OpenFile) {
    this.#file = file
  }

  /** Whether an earlier record is the same: by its bytes, or by `isSame` among those with the same `key`. */
  has({ bytes, at }: LogRecord, key = bytes, isSame = (before: Buffer) => before.equals(bytes)): boolean {
    return this.hasRow({ checksum: crc32(key), keyLength: key.length, at }, isSame)
  }

  /** The same for a record that is not at hand. */
  hasRow({ checksum, keyLength, at }: CopyRow, isSame: (before: Buffer) => boolean): boolean {
    const before = this.#alike.add(checksum, keyLength)
    this.#starts.push(at.start)
    this.#lengths.push(at.end - at.start)
    if (before === NONE || !isSame(this.#bytesOf(before))) return false
    this.#count++
    this.#first ??= at
    return true
  }

  /** Adds the rows of a part. Whether one of them is a copy; then the rest is not added. */
  hasAny(rows: Float64Array, isSame = (before: Buffer, bytes: Buffer) => before.equals(bytes)): boolean {
    for (let at = 0; at < rows.length; at += NUMBERS_PER_ROW) {
      const start = rows[at + 2] ?? 0
      const end = rows[at + 3] ?? 0
      const row = { checksum: rows[at] ?? 0, keyLength: rows[at + 1] ?? 0, at: { file: this.#file.path, start, end } }
      if (this.hasRow(row, before => isSame(before, this.#file.range(start, end)))) return true
    }
    return false
  }

  /** The same for records of which only start and end are known, compared by their bytes. */
  hasAnyIn(bounds: Float64Array): boolean {
    for (let at = 0; at < bounds.length; at += 2) {
      const place = { file: this.#file.path, start: bounds[at] ?? 0, end: bounds[at + 1] ?? 0 }
      const bytes = this.#file.range(place.start, place.end)
      if (this.hasRow({ checksum: crc32(bytes), keyLength: bytes.length, at: place }, before => before.equals(bytes)))
        return true
    }
    return false
  }

  #bytesOf(row: number): Buffer {
    const start = this.#starts.get(row)
    return this.#file.range(start, start + this.#lengths.get(row))
  }

  note(findings: Findings): void {
    if (this.#first === undefined) return
    findings.add({
      damage: 'repeated-records',
      severity: 'survived',
      at: this.#first,
      text: `${this.#count === 1 ? '1 record is' : `${formatNumber(this.#count)} records are`} in the file twice; each is shown once.`,
      hint: `See what the agent would load: rethread check ${quote(this.#first.file)}`,
    })
  }
}
