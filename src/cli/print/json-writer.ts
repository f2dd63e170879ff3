// Writes JSON in large chunks of bytes. Joining the texts of messages into one string would copy each of them
// several times.
import { escapeRawBytes } from './clean.ts'
import type { Output } from './output.ts'

const BATCH_BYTES = 1024 * 1024
/** The most bytes that one UTF-16 unit takes in UTF-8. */
export const MAX_UNIT_BYTES = 3

export class JsonWriter {
  readonly #output: Output
  #batch = Buffer.allocUnsafe(BATCH_BYTES)
  #length = 0

  constructor(output: Output) {
    this.#output = output
  }

  /**
   * Takes the result of `toJson`, or its bytes. Characters that are not safe to print are written as escapes. Undefined unless the
   * caller has to wait: most texts only go into the batch, and waiting for nothing takes time too.
   */
  add(json: string | Buffer, separator = ''): Promise<void> | undefined {
    const most = (separator.length + json.length) * MAX_UNIT_BYTES
    if (this.#length + most > this.#batch.length) return this.flush(most).then(() => this.#put(separator, json))
    this.#put(separator, json)
    return undefined
  }

  /** Writes bytes that are safe to print, without a copy. */
  async addSafe(bytes: Buffer, separator = ''): Promise<void> {
    if (separator !== '') await this.add(separator)
    await this.flush()
    if (bytes.length > 0) await this.#output.writeBytes(bytes)
  }

  #put(separator: string, json: string | Buffer): void {
    this.#length += this.#batch.write(separator, this.#length)
    this.#length +=
      typeof json === 'string' ? this.#batch.write(json, this.#length) : json.copy(this.#batch, this.#length)
  }

  async flush(room = 0): Promise<void> {
    if (this.#length > 0) await this.#output.writeBytes(escapeRawBytes(this.#batch.subarray(0, this.#length)))
    this.#length = 0
    // A long message needs its room only once.
    const size = Math.max(BATCH_BYTES, room)
    if (this.#batch.length !== size) this.#batch = Buffer.allocUnsafe(size)
  }
}
