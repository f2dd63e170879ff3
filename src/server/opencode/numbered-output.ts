// The last output of a terminal, in which every character has a number: a client that comes back says how far it was.

/** Pieces smaller than this are put together. */
const SMALL_PIECE_CHARS = 4096

export class NumberedOutput {
  readonly #limit: number
  #pieces: string[] = []
  /** Of the first character that is kept, and of the next that comes. */
  #start = 0
  #end = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get end(): number {
    return this.#end
  }

  add(text: string): void {
    const last = this.#pieces.at(-1)
    if (last !== undefined && last.length + text.length <= SMALL_PIECE_CHARS)
      this.#pieces[this.#pieces.length - 1] = last + text
    else this.#pieces.push(text)
    this.#end += text.length
    while (this.#end - this.#start > this.#limit) this.#dropFirst()
  }

  /** What has come since; from the first that is kept where that is later. */
  since(cursor: number): string {
    if (cursor >= this.#end) return ''
    return this.#pieces.join('').slice(Math.max(0, cursor - this.#start))
  }

  #dropFirst(): void {
    const excess = this.#end - this.#start - this.#limit
    const first = this.#pieces[0] ?? ''
    if (first.length > excess) this.#pieces[0] = first.slice(excess)
    else this.#pieces.shift()
    this.#start += Math.min(first.length, excess)
  }
}
