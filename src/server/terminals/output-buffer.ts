// The last output of a terminal, bounded, so that a client that attaches later gets the screen.

const ESC = String.fromCharCode(27)
/**
 * Modes that outlast the output that set them: alternate screen, hidden cursor, mouse, bracketed paste. `ESC
 * c` resets all.
 */
const MODES = new RegExp(`${ESC}(?:\\[\\?([\\d;]+)([hl])|c)`, 'g')
const UNFINISHED = new RegExp(`${ESC}(?:\\[[\\d;?]*)?$`)
/** Smaller pieces are joined, so that single keys do not make a million pieces. */
const SMALL_PIECE_CHARS = 4096

export class OutputBuffer {
  readonly #limit: number
  #pieces: string[] = []
  #length = 0
  /** The end of the dropped output, if it cuts an escape sequence. */
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

  /** The text that reproduces the screen in an empty terminal, as far as it is stored. */
  screen(): { screen: string; isCut: boolean } {
    const text = this.#unfinished + this.#pieces.join('')
    if (!this.#isCut) return { screen: text, isCut: false }
    const start = safeStart(text)
    const modes = noteModes(new Map(this.#modes), text.slice(0, start))
    const setting = [...modes].map(([mode, end]) => `${ESC}[?${mode}${end}`).join('')
    return { screen: setting + text.slice(start), isCut: true }
  }

  /** Drops whole pieces. A single piece above the limit is cut. */
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

/** After a line break or at an escape character. Text before it may be the end of an escape sequence. */
function safeStart(text: string): number {
  const line = text.indexOf('\n')
  const sequence = text.indexOf(ESC)
  if (sequence >= 0 && (line < 0 || sequence < line)) return sequence
  if (line >= 0) return line + 1
  return isSecondHalf(text) ? 1 : 0
}

/** The text starts with the second half of a surrogate pair. */
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
