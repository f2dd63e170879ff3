// Where the terms of a query are in a text, and the passage around them.
import type { Term } from './query.ts'
import { foldForSearch, segment, spacelessRuns, wordsOf } from './tokenizer.ts'

export interface Mark {
  start: number
  end: number
  /** The number of the term. */
  term: number
}

/** More marks than this say nothing more about a text. */
const MAX_MARKS_OF_TERM = 40
const LETTER = /[\p{L}\p{N}]/u
const NOT_ASCII = /[\u0080-\u{10ffff}]/u
const EACH_NOT_ASCII = /[\u0080-\u{10ffff}]/gu
const BETWEEN = '[^\\p{L}\\p{N}]{1,20}'

/** The terms as patterns, made once for all texts of a query. */
export class Marker {
  readonly #terms: { patterns: RegExp[]; term: Term }[]

  constructor(terms: readonly Term[]) {
    this.#terms = terms.filter(({ isNot }) => !isNot).map(term => ({ term, patterns: patternsOf(term) }))
  }

  get terms(): number {
    return this.#terms.length
  }

  marks(text: string): Mark[] {
    const folded = foldInPlace(text)
    const marks = this.#terms.flatMap(({ patterns, term }, number) => {
      for (const [strictness, pattern] of patterns.entries()) {
        const found = [...find(folded, pattern, strictness === 0 && term.type !== 'exact')]
        if (found.length > 0) return found.map(mark => ({ ...mark, term: number }))
      }
      return []
    })
    return marks.sort((a, b) => a.start - b.start || b.end - a.end)
  }
}

/** In the order of strictness: as whole words, then anywhere. */
function patternsOf({ type, text }: Term): RegExp[] {
  const folded = foldInPlace(text)
  if (type === 'exact') return [new RegExp(escaped(folded), 'gu'), anywhere(wordsOf(text))]
  const runs = spacelessRuns(folded)
  if (runs.length > 0) return [new RegExp(escaped(folded), 'gu'), anywhere(runs.flatMap(segment))]
  const words = wordsOf(text)
  const end = type === 'prefix' ? '[\\p{L}\\p{N}]*' : '(?![\\p{L}\\p{N}])'
  return [
    new RegExp(words.map(escaped).join(BETWEEN) + end, 'gu'),
    anywhere(type === 'phrase' ? [words.join('')] : words),
  ]
}

function anywhere(words: readonly string[]): RegExp {
  return new RegExp(words.map(escaped).join('|'), 'gu')
}

function* find(text: string, pattern: RegExp, isWhole: boolean): Generator<Omit<Mark, 'term'>, void, void> {
  let count = 0
  for (const match of text.matchAll(pattern)) {
    const start = match.index
    if (match[0] === '' || (isWhole && start > 0 && LETTER.test(characterBefore(text, start)))) continue
    yield { start, end: start + match[0].length }
    if (++count === MAX_MARKS_OF_TERM) return
  }
}

function characterBefore(text: string, at: number): string {
  const isPair = at > 1 && (text.charCodeAt(at - 1) & 0xfc00) === 0xdc00
  return text.slice(at - (isPair ? 2 : 1), at)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\\-', '\\x2d')
}

/** Folded, with every character at its place. */
function foldInPlace(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase()
  return text.replace(/[A-Z]+/g, each => each.toLowerCase()).replace(EACH_NOT_ASCII, foldedCharacter)
}

const MAX_FOLDED = 5000
const foldedCharacters = new Map<string, string>()

function foldedCharacter(character: string): string {
  const known = foldedCharacters.get(character)
  if (known !== undefined) return known
  const folded = foldForSearch(character)
  const kept = folded.length === character.length ? folded : character
  if (foldedCharacters.size < MAX_FOLDED) foldedCharacters.set(character, kept)
  return kept
}

export interface Snippet {
  snippet: string
  marks: [number, number][]
  /** How many of the terms are in it. */
  terms: number
  /** Characters from the first to the last of the marks that count. */
  span: number
}

const SNIPPET_CHARACTERS = 170
const BEFORE = 32

/** The part of the text with the most different terms, on one line. */
export function snippetOf(text: string, marks: readonly Mark[], characters = SNIPPET_CHARACTERS): Snippet {
  const { from, terms, span } = bestWindow(marks, characters - BEFORE)
  const first = marks[from]?.start ?? 0
  const start = wordStart(text, Math.max(0, Math.min(first - BEFORE, text.length - characters)))
  const end = Math.min(text.length, wholeCharacter(text, start + characters))
  const shown: [number, number][] = []
  let snippet = start > 0 ? '…' : ''
  let at = start
  const put = (piece: string): void => {
    const line = piece.replace(/\s+/g, ' ')
    snippet += snippet === '' || snippet.endsWith(' ') ? line.trimStart() : line
  }
  for (const mark of marks) {
    if (mark.start < at || mark.end > end) continue
    put(text.slice(at, mark.start))
    const from = snippet.length
    put(text.slice(mark.start, mark.end))
    shown.push([from, snippet.length])
    at = mark.end
  }
  put(text.slice(at, end))
  return { snippet: snippet.trimEnd() + (end < text.length ? '…' : ''), marks: shown, terms, span }
}

/** The window with the most terms; among equals the shortest, then the first. */
function bestWindow(marks: readonly Mark[], characters: number): { from: number; terms: number; span: number } {
  let best = { from: 0, terms: 0, span: 0 }
  for (const [from, { start }] of marks.entries()) {
    const terms = new Set<number>()
    let last = start
    for (let at = from; at < marks.length; at++) {
      const mark = marks[at]
      if (mark === undefined || mark.end > start + characters) break
      if (terms.has(mark.term)) continue
      terms.add(mark.term)
      last = mark.end
    }
    const span = last - start
    if (terms.size > best.terms || (terms.size === best.terms && terms.size > 1 && span < best.span))
      best = { from, terms: terms.size, span }
  }
  return best
}

/** Not inside a word, if one begins soon. */
function wordStart(text: string, at: number): number {
  if (at === 0) return 0
  const space = text.slice(at, at + 20).search(/\s/)
  return wholeCharacter(text, space === -1 ? at : at + space + 1)
}

function wholeCharacter(text: string, at: number): number {
  return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at
}
