// Scans one JSON string byte by byte for invalid escapes, control characters and invalid UTF-8.
import { BACKSLASH, QUOTE, SPACE } from '../../../bytes/ascii.ts'
import { isHexadecimal } from '../../../bytes/json-scalars.ts'

type TextFault = 'control' | 'escape'
type SoftTextFault = 'utf8' | 'surrogate'

const ESCAPES = new Set([...'"\\/bfnrtu'].map(letter => letter.charCodeAt(0)))
const LETTER_U = 0x75

interface TextWatcher {
  /** Reports an error that only matters to a reader of the values. */
  soft(kind: SoftTextFault, at: number): void
  hard(kind: TextFault, at: number, byte: number): void
}

/** Reused for every string of a document. */
export class TextScan {
  readonly #watcher: TextWatcher
  #isEscape = false
  #digits = 0
  #code = 0
  /** serde_json reads four bytes before it checks that they are digits. */
  #hasBadDigit = false
  /** A high surrogate still needs its other half. */
  #isHalf = false
  /** The missing bytes of a character, and the range of the next one. */
  #more = 0
  #low = 0x80
  #high = 0xbf

  constructor(watcher: TextWatcher) {
    this.#watcher = watcher
  }

  begin(): void {
    this.#isEscape = false
    this.#digits = 0
    this.#isHalf = false
    this.#more = 0
  }

  /**
   * Returns the index of the closing quote or of an invalid byte, or the end of the bytes. `base` is the
   * offset of the first byte.
   */
  pass(bytes: Buffer, from: number, base: number): number {
    let at = from
    for (; at < bytes.length; at++) {
      if (this.#more === 0 && !this.#isHalf && !this.#isEscape && this.#digits === 0) at = pastPlain(bytes, at)
      const byte = bytes[at]
      if (byte === undefined) return bytes.length
      if (this.#isEscape || this.#digits > 0) {
        if (!this.#passEscape(byte, base + at)) return at
      } else if (byte === BACKSLASH) {
        this.#endCharacter(base + at)
        this.#isEscape = true
      } else {
        this.#endHalf(base + at)
        if (byte === QUOTE) {
          this.#endCharacter(base + at)
          return at
        }
        if (byte < SPACE) {
          this.#watcher.hard('control', base + at, byte)
          return at
        }
        this.#takeByte(byte, base + at)
      }
    }
    return at
  }

  #passEscape(byte: number, at: number): boolean {
    if (this.#isEscape) {
      this.#isEscape = false
      if (!ESCAPES.has(byte)) return this.#refuse(at, byte)
      if (byte === LETTER_U) {
        this.#digits = 4
        this.#code = 0
        this.#hasBadDigit = false
      } else this.#endHalf(at)
      return true
    }
    if (isHexadecimal(byte)) this.#code = this.#code * 16 + Number.parseInt(String.fromCharCode(byte), 16)
    else this.#hasBadDigit = true
    this.#digits--
    if (this.#digits > 0) return true
    if (this.#hasBadDigit) return this.#refuse(at, byte)
    this.#endCode(at)
    return true
  }

  #endCode(at: number): void {
    const isLow = this.#code >= 0xdc00 && this.#code <= 0xdfff
    if (isLow && this.#isHalf) {
      this.#isHalf = false
      return
    }
    this.#endHalf(at)
    if (isLow) this.#watcher.soft('surrogate', at)
    else this.#isHalf = this.#code >= 0xd800 && this.#code <= 0xdbff
  }

  #endHalf(at: number): void {
    if (this.#isHalf) this.#watcher.soft('surrogate', at)
    this.#isHalf = false
  }

  #endCharacter(at: number): void {
    if (this.#more > 0) this.#watcher.soft('utf8', at)
    this.#more = 0
  }

  #takeByte(byte: number, at: number): void {
    if (this.#more > 0) {
      if (byte >= this.#low && byte <= this.#high) {
        this.#more--
        this.#low = 0x80
        this.#high = 0xbf
        return
      }
      this.#endCharacter(at)
    }
    if (byte >= 0x80) this.#beginCharacter(byte, at)
  }

  /** Rejects overlong forms, surrogates and code points after the last character. */
  #beginCharacter(byte: number, at: number): void {
    this.#low = 0x80
    this.#high = 0xbf
    this.#more =
      byte >= 0xc2 && byte <= 0xdf ? 1 : byte >= 0xe0 && byte <= 0xef ? 2 : byte >= 0xf0 && byte <= 0xf4 ? 3 : 0
    if (this.#more === 0) this.#watcher.soft('utf8', at)
    if (byte === 0xe0) this.#low = 0xa0
    else if (byte === 0xed) this.#high = 0x9f
    else if (byte === 0xf0) this.#low = 0x90
    else if (byte === 0xf4) this.#high = 0x8f
  }

  #refuse(at: number, byte: number): false {
    this.#watcher.hard('escape', at, byte)
    return false
  }
}

/** Returns the next byte that is not plain ASCII text. Nearly every byte of a file passes this loop. */
function pastPlain(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === undefined || byte === QUOTE || byte === BACKSLASH || byte < SPACE || byte >= 0x80) return at
  }
  return bytes.length
}
