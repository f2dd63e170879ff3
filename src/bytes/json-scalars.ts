// The small grammars inside JSON, one byte at a time: numbers, words and the escapes in a text.

/** The state while reading a number. It may end after `zero`, `whole`, `fraction` and `exponent`. */
export type NumberState = 'minus' | 'zero' | 'whole' | 'point' | 'fraction' | 'e' | 'sign' | 'exponent'

const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39

export function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}

/** Undefined if no number starts with this byte. */
export function firstOfNumber(byte: number): NumberState | undefined {
  if (byte === MINUS) return 'minus'
  if (byte === ZERO) return 'zero'
  return isDigit(byte) ? 'whole' : undefined
}

/** Undefined if the number does not continue with this byte. */
export function nextOfNumber(state: NumberState, byte: number): NumberState | undefined {
  const isE = byte === 0x65 || byte === 0x45
  switch (state) {
    case 'minus':
      return byte === ZERO ? 'zero' : isDigit(byte) ? 'whole' : undefined
    case 'zero':
      return byte === POINT ? 'point' : isE ? 'e' : undefined
    case 'whole':
      return isDigit(byte) ? 'whole' : byte === POINT ? 'point' : isE ? 'e' : undefined
    case 'point':
      return isDigit(byte) ? 'fraction' : undefined
    case 'fraction':
      return isDigit(byte) ? 'fraction' : isE ? 'e' : undefined
    case 'e':
      return byte === PLUS || byte === MINUS ? 'sign' : isDigit(byte) ? 'exponent' : undefined
    case 'sign':
    case 'exponent':
      return isDigit(byte) ? 'exponent' : undefined
  }
}

export function mayEndAfter(state: NumberState): boolean {
  return state === 'zero' || state === 'whole' || state === 'fraction' || state === 'exponent'
}

const WORDS = ['true', 'false', 'null']

/** The word that starts with this byte. */
export function wordFrom(byte: number): string | undefined {
  return WORDS.find(word => word.charCodeAt(0) === byte)
}

const SIMPLE_ESCAPES = new Set(Buffer.from('"\\/bfnrt'))
const LETTER_U = 0x75

/** How many hexadecimal digits follow the letter of an escape. Undefined if there is no such escape. */
export function digitsOfEscape(letter: number): 0 | 4 | undefined {
  if (letter === LETTER_U) return 4
  return SIMPLE_ESCAPES.has(letter) ? 0 : undefined
}

export function isHexadecimal(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
}
