// The first lines of a text, and how many more there are.
export const FOLDED_LINES = 12
/** A longer line counts as several. One line may have a megabyte. */
const LINE_CHARS = 100

export interface Folded {
  text: string
  /** The label of the button that shows the rest; undefined if nothing is folded. */
  more: string | undefined
}

export function foldLines(whole: string): Folded {
  const text = whole.trimEnd()
  let end = 0
  for (let rows = 0; rows < FOLDED_LINES; ) {
    const next = text.indexOf('\n', end)
    const lineEnd = next < 0 ? text.length : next
    const needed = Math.max(1, Math.ceil((lineEnd - end) / LINE_CHARS))
    if (rows + needed > FOLDED_LINES + 1) {
      const shown = text.slice(0, end + (FOLDED_LINES - rows) * LINE_CHARS).toWellFormed()
      return { text: shown, more: `Show all ${count(text.length)} characters` }
    }
    if (next < 0) return { text, more: undefined }
    rows += needed
    end = next + 1
  }
  return { text: text.slice(0, end - 1), more: `Show all ${count(countLines(text))} lines` }
}

function count(number: number): string {
  return number.toLocaleString('en-GB')
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** Cuts at a line end if one is near, so that no word and no table row is broken. */
export function cutAtLine(text: string, most: number): string {
  const end = text.lastIndexOf('\n', most)
  return text.slice(0, end > most / 2 ? end : most)
}

/** Joined with line feeds they are the text again. */
export function piecesOf(text: string, most: number): string[] {
  const pieces: string[] = []
  for (let rest = text; rest !== ''; ) {
    const piece = rest.length <= most ? rest : cutAtLine(rest, most)
    pieces.push(piece)
    rest = rest.slice(piece.length + (rest[piece.length] === '\n' ? 1 : 0))
  }
  return pieces
}
