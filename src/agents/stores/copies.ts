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
    const before = this.#alike.add(crc32(key), key.length)
    this.#starts.push(at.start)
    this.#lengths.push(at.end - at.start)
    if (before === NONE || !isSame(this.#bytesOf(before))) return false
    this.#count++
    this.#first ??= at
    return true
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
