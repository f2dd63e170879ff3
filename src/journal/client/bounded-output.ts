// The last output of a command, limited in bytes. The beginning is dropped, never half a character.
import { StringDecoder } from 'node:string_decoder'

/** Smaller pieces are joined, so that many single characters do not become as many buffers. */
const SMALL_PIECE_BYTES = 4096

export class BoundedOutput {
  readonly #limit: number
  #pieces: Buffer[] = []
  #bytes = 0
  #isCut = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** One of several streams. A character split over two chunks is joined before another stream adds text. */
  openStream(): { add(chunk: Buffer): void; end(): void } {
    const decoder = new StringDecoder('utf8')
    return {
      add: chunk => this.#add(Buffer.from(decoder.write(chunk))),
      end: () => this.#add(Buffer.from(decoder.end())),
    }
  }

  read(): { output: string; truncated: boolean } {
    this.#cut()
    return { output: Buffer.concat(this.#pieces).toString('utf8'), truncated: this.#isCut }
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return
    const last = this.#pieces.at(-1)
    if (last !== undefined && last.length + piece.length <= SMALL_PIECE_BYTES)
      this.#pieces[this.#pieces.length - 1] = Buffer.concat([last, piece])
    else this.#pieces.push(piece)
    this.#bytes += piece.length
    this.#dropWhole()
  }

  /**
   * Drops whole pieces only, so up to one piece above the limit may stay: an exact cut each time would copy
   * too much.
   */
  #dropWhole(): void {
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      if (this.#bytes - first.length < this.#limit) return
      this.#pieces.shift()
      this.#bytes -= first.length
      this.#isCut = true
    }
  }

  #cut(): void {
    if (this.#bytes <= this.#limit) return
    const all = Buffer.concat(this.#pieces)
    let start = all.length - this.#limit
    while (start < all.length && isContinuation(all[start])) start++
    // A copy, because a view would keep the dropped bytes in memory.
    this.#pieces = [Buffer.from(all.subarray(start))]
    this.#bytes = all.length - start
    this.#isCut = true
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
