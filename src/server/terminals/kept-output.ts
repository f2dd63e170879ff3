// The last output of a terminal, bounded, so that a client that comes later gets the screen back.

const ESC = String.fromCharCode(27)
/** A mode that outlives the screenful it was set in: the alternate screen, the hidden cursor, the mouse, pasting in brackets. `ESC c` resets all. */
const MODES = new RegExp(`${ESC}(?:\\[\\?([\\d;]+)([hl])|c)`, 'g')
const UNFINISHED = new RegExp(`${ESC}(?:\\[[\\d;?]*)?$`)
/** Pieces smaller than this are put together, so that a long evening of single keys is not a million pieces. */
const SMALL_PIECE_CHARS = 4096

export class KeptOutput {
  readonly #limit: number
  #pieces: string[] = []
  #length = 0
  /** What was dropped last, where it ends in the middle of an escape sequence. */
  #unfinished = ''
  #modes = new Map<string, string>()
  #isCut = false

  constructor(limit: number) {
    this.#limit = limit
  }

  add(text: string): void {
    const last = this.#pieces.at(-1)
    if (last !== undefined && last.length + text.length <= SMALL_PIECE_CHARS)
      this.#pieces[this.#pieces.length - 1] += text
    else this.#pieces.push(text)
    this.#length += text.length
    while (this.#length > this.#limit) this.#dropFirst()
  }

  /** What to write to an empty terminal to see what was seen, as far as it is kept. */
  screen(): { screen: string; isCut: boolean } {
    const text = this.#unfinished + this.#pieces.join('')
    if (!this.#isCut) return { screen: text, isCut: false }
    const start = safeStart(text)
    const modes = noteModes(new Map(this.#modes), text.slice(0, start))
    const setting = [...modes].map(([mode, end]) => `${ESC}[?${mode}${end}`).join('')
    return { screen: setting + text.slice(start), isCut: true }
  }

  /** A piece that alone is beyond the limit is cut; otherwise whole ones go. */
  #dropFirst(): void {
    const first = this.#pieces[0] ?? ''
    const excess = this.#length - this.#limit
    const isOnly = this.#pieces.length === 1
    const dropped = isOnly ? first.slice(0, excess) : first
    if (isOnly) this.#pieces[0] = first.slice(excess)
    else this.#pieces.shift()
    this.#length -= dropped.length
    this.#isCut = true
    const text = this.#unfinished + dropped
    this.#unfinished = UNFINISHED.exec(text)?.[0] ?? ''
    noteModes(this.#modes, text)
  }
}

/** Behind a line break or at the beginning of an escape sequence: what stands before may be the end of one. */
function safeStart(text: string): number {
  const line = text.indexOf('\n')
  const sequence = text.indexOf(ESC)
  if (sequence >= 0 && (line < 0 || sequence < line)) return sequence
  if (line >= 0) return line + 1
  return isSecondHalf(text) ? 1 : 0
}

/** Of a character that is two units long, which was cut in the middle. */
function isSecondHalf(text: string): boolean {
  const unit = text.charCodeAt(0)
  return unit >= 0xdc00 && unit <= 0xdfff
}

function noteModes(modes: Map<string, string>, text: string): Map<string, string> {
  for (const [, names, end] of text.matchAll(MODES)) {
    if (names === undefined || end === undefined) modes.clear()
    else for (const name of names.split(';')) modes.set(name, end)
  }
  return modes
}
