// Splits a line into words like a shell: quotes and backslashes, and no other shell syntax.

export type ShellWords = { type: 'words'; words: string[] } | { type: 'unbalanced'; text: string }

const BLANK = /\s/
/** In double quotes a backslash is literal, unless it precedes one of these. */
const ESCAPED_IN_DOUBLE = /["\\$`\n]/

export function splitWords(line: string): ShellWords {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; ) {
    const character = line[at] ?? ''
    if (BLANK.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      at++
      continue
    }
    const piece = pieceAt(line, at)
    if (piece === undefined) return { type: 'unbalanced', text: unbalanced(character) }
    word = (word ?? '') + piece.text
    at = piece.end
  }
  if (word !== undefined) words.push(word)
  return { type: 'words', words }
}

interface Piece {
  text: string
  end: number
}

/** A quoted stretch or one character. Undefined if the line ends too early. */
function pieceAt(line: string, at: number): Piece | undefined {
  const character = line[at] ?? ''
  if (character === "'") {
    const end = line.indexOf("'", at + 1)
    return end === -1 ? undefined : { text: line.slice(at + 1, end), end: end + 1 }
  }
  if (character === '"') return doubleQuoted(line, at + 1)
  if (character !== '\\') return { text: character, end: at + 1 }
  const next = line[at + 1]
  return next === undefined ? undefined : { text: next === '\n' ? '' : next, end: at + 2 }
}

function doubleQuoted(line: string, from: number): Piece | undefined {
  let text = ''
  for (let at = from; at < line.length; at++) {
    const character = line[at] ?? ''
    if (character === '"') return { text, end: at + 1 }
    const next = line[at + 1] ?? ''
    if (character === '\\' && ESCAPED_IN_DOUBLE.test(next)) {
      text += next === '\n' ? '' : next
      at++
    } else text += character
  }
  return undefined
}

function unbalanced(character: string): string {
  return character === '\\' ? 'It ends with a backslash that escapes nothing.' : `A quote (${character}) is not closed.`
}
