// Writes messages to a spool and publishes them in batches once they can be read.
import type { Handle } from '../../disk/files/handles.ts'
import { closeHandle, openHandle, readRange, writeAll } from '../../disk/files/handles.ts'
import type { Message } from '../../model/message.ts'
import { formsOf } from './cut.ts'
import type { SpoolBatch } from './message-index.ts'
import { OTHER_PLACE, otherPlaceKey } from './message-index.ts'
import type { SpooledCheckpoint } from './orders.ts'

const BUFFER_BYTES = 1024 * 1024
/** A caller may wait for the first messages. */
const BATCH_MS = 30
/** No character of a string becomes more bytes. */
const MAX_BYTES_OF_CHAR = 3

export class SpoolWriter {
  readonly #handle: Handle
  readonly #sessionFile: string
  readonly #publish: (batch: SpoolBatch) => void
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #filled = 0
  /** Where the buffer will be written. */
  #position: number
  #batch: GrowingBatch
  #publishedAt = performance.now()

  constructor(spool: { path: string; end: number }, sessionFile: string, publish: (batch: SpoolBatch) => void) {
    this.#handle = openHandle(spool.path, 'write')
    this.#sessionFile = sessionFile
    this.#publish = publish
    this.#position = spool.end
    this.#batch = new GrowingBatch(spool.end)
  }

  get end(): number {
    return this.#position + this.#filled
  }

  add(message: Message): void {
    const { shown, whole } = formsOf(message)
    const shownBytes = this.#write(shown)
    const wholeBytes = whole === undefined ? 0 : this.#write(whole)
    this.#batch.add(message, shownBytes, wholeBytes, this.#sessionFile)
    if (performance.now() - this.#publishedAt > BATCH_MS) this.flush()
  }

  addCheckpoint(json: string, offset: number): SpooledCheckpoint {
    const start = this.end
    return { start, length: this.#write(json), offset }
  }

  readCheckpoint({ start, length }: SpooledCheckpoint): unknown {
    return JSON.parse(readRange(this.#handle, start, start + length).toString('utf8'))
  }

  flush(): void {
    this.#empty()
    if (this.#batch.length > 0) this.#publish(this.#batch.finish())
    this.#batch = new GrowingBatch(this.end)
    this.#publishedAt = performance.now()
  }

  close(): void {
    closeHandle(this.#handle)
  }

  #write(text: string): number {
    if (text.length * MAX_BYTES_OF_CHAR > BUFFER_BYTES - this.#filled) this.#empty()
    if (text.length * MAX_BYTES_OF_CHAR <= BUFFER_BYTES) {
      const written = this.#buffer.write(text, this.#filled)
      this.#filled += written
      return written
    }
    const bytes = Buffer.from(text)
    writeAll(this.#handle, bytes, this.#position)
    this.#position += bytes.length
    return bytes.length
  }

  #empty(): void {
    writeAll(this.#handle, this.#buffer.subarray(0, this.#filled), this.#position)
    this.#position += this.#filled
    this.#filled = 0
  }
}

class GrowingBatch {
  readonly #offset: number
  readonly #shown: number[] = []
  readonly #whole: number[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  readonly #otherPlaces: string[] = []
  readonly #ids: string[] = []

  constructor(offset: number) {
    this.#offset = offset
  }

  get length(): number {
    return this.#ids.length
  }

  add({ id, at }: Message, shown: number, whole: number, sessionFile: string): void {
    const key = otherPlaceKey(at, sessionFile)
    if (key !== undefined) this.#otherPlaces.push(key)
    this.#starts.push('table' in at ? 0 : at.start)
    this.#ends.push(key !== undefined || 'table' in at ? OTHER_PLACE : at.end)
    this.#shown.push(shown)
    this.#whole.push(whole)
    this.#ids.push(id)
  }

  finish(): SpoolBatch {
    return {
      offset: this.#offset,
      shown: Int32Array.from(this.#shown),
      whole: Int32Array.from(this.#whole),
      starts: Float64Array.from(this.#starts),
      ends: Float64Array.from(this.#ends),
      otherPlaces: this.#otherPlaces,
      ids: this.#ids,
    }
  }
}
