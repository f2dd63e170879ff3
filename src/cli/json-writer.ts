// Writes JSON in large chunks of bytes. Joining the texts of messages into one string would copy each of them
// several times.
import { escapeRaw } from './clean.ts'
import type { Output } from './output.ts'

const BATCH_BYTES = 1024 * 1024
/** The most bytes that one UTF-16 unit takes in UTF-8. */
const MAX_UNIT_BYTES = 3
const DELETE = 0x7f

export class JsonWriter {
  readonly #output: Output
  #batch = Buffer.allocUnsafe(BATCH_BYTES)
  #length = 0

  constructor(output: Output) {
    this.#output = output
  }

  /** Takes the result of `toJson` and escapes characters that are not safe to print. */
  async add(json: string): Promise<void> {
    const most = json.length * MAX_UNIT_BYTES
    if (this.#length + most > this.#batch.length) await this.flush(most)
    const start = this.#length
    this.#length += this.#batch.write(json, start)
    if (this.#isPlain(start, json.length)) return
    const escaped = escapeRaw(json)
    if (escaped === json) return
    this.#length = start
    await this.#addEscaped(escaped)
  }

  async flush(room = 0): Promise<void> {
    // The stream may keep the buffer it was given, so the next batch needs a new one.
    const full = this.#batch.subarray(0, this.#length)
    this.#batch = Buffer.allocUnsafe(Math.max(BATCH_BYTES, room))
    this.#length = 0
    if (full.length > 0) await this.#output.writeBytes(full)
  }

  async #addEscaped(json: string): Promise<void> {
    const most = json.length * MAX_UNIT_BYTES
    if (this.#length + most > this.#batch.length) await this.flush(most)
    this.#length += this.#batch.write(json, this.#length)
  }

  /** One byte for each unit means ASCII. Of its control characters JSON leaves only DEL raw. */
  #isPlain(start: number, units: number): boolean {
    return this.#length - start === units && !this.#batch.subarray(start, this.#length).includes(DELETE)
  }
}
