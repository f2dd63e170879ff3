// The words of a text, as the index holds them and as a query asks for them.

/** Longer runs of letters, digits, + and / are data, such as a picture in base64. They are not indexed. */
const MAX_RUN = 256
const MAX_IDENTIFIER = 80

/** Scripts that are written without spaces: words in them are found by `Intl.Segmenter`. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu
const FIRST_SPACELESS = 0x0e00

export interface IndexText {
  text: string
  /** Pieces of identifiers, and pairs of neighbouring characters in scripts without spaces. */
  pieces: string
}

/** Colours and other sequences for a terminal: their letters would become part of the words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const SEQUENCES = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g

export function withoutSequences(text: string): string {
  return text.includes('\u001b') ? text.replace(SEQUENCES, '') : text
}

/** What is written into the index for a text. */
export function indexText(whole: string): IndexText {
  const source = withoutSequences(whole)
  const { cuts, identifiers, hasSpaceless } = examine(source)
  let text = cuts.length === 0 ? source : withoutRuns(source, cuts)
  const pieces = new Set<string>()
  for (const identifier of identifiers) for (const piece of piecesOf(identifier)) pieces.add(piece)
  if (hasSpaceless)
    text = text.replace(SPACELESS, run => {
      for (const pair of pairsOf(run)) pieces.add(pair)
      return ` ${segment(run).join(' ')} `
    })
  return { text: text.toWellFormed().replaceAll('\0', ' '), pieces: [...pieces].join(' ') }
}

interface Examined {
  cuts: [start: number, end: number][]
  identifiers: Set<string>
  hasSpaceless: boolean
}

/** One pass over the characters: a regular expression for each would take most of the time of indexing. */
function examine(text: string): Examined {
  const found: Examined = { cuts: [], identifiers: new Set(), hasSpaceless: false }
  let run = 0
  let word = 0
  let isMixed = false
  let wasLower = false
  const { length } = text
  for (let at = 0; at <= length; at++) {
    const code = at === length ? 32 : text.charCodeAt(at)
    const isUpper = code >= 65 && code <= 90
    const isLower = (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
    if (isUpper || isLower) {
      // `getUser` at its U, and `HTTPServer` at the first small letter after two capitals.
      if (isUpper ? wasLower : !wasLower && at - word >= 2) isMixed = true
      wasLower = isLower
      continue
    }
    if (isMixed && at - word <= MAX_IDENTIFIER) found.identifiers.add(text.slice(word, at))
    isMixed = false
    wasLower = false
    word = at + 1
    if (code === 43 || code === 47 || code === 61) continue
    if (at - run > MAX_RUN) found.cuts.push([run, at])
    run = at + 1
    if (code >= FIRST_SPACELESS) found.hasSpaceless = true
  }
  return found
}

function withoutRuns(text: string, cuts: readonly [number, number][]): string {
  let kept = ''
  let from = 0
  for (const [start, end] of cuts) {
    kept += text.slice(from, start)
    from = end
  }
  return kept + text.slice(from)
}

/** `getUserName` → get, User, Name; `HTTPServer2` → HTTP, Server2. Empty where there is only one. */
export function piecesOf(identifier: string): string[] {
  const pieces = identifier.match(/[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[0-9]+/g) ?? []
  return pieces.length < 2 ? [] : pieces.filter(piece => piece.length > 1)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The words of a run without spaces. */
export function segment(run: string): string[] {
  return Array.from(segmenter.segment(run), ({ segment: word }) => word)
}

/** A query may divide a run into other words than its surroundings do: the pairs find it all the same. */
export function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}

export function spacelessRuns(text: string): string[] {
  return text.match(SPACELESS) ?? []
}

/** As the index folds it: small letters without diacritics. */
export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** The words of a text as the index divides it, folded. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map(fold)
}

export interface FoundWord {
  /** Folded. */
  word: string
  start: number
  end: number
}

export function* eachWord(text: string): Generator<FoundWord, void, void> {
  for (const match of text.matchAll(WORD))
    yield { word: fold(match[0]), start: match.index, end: match.index + match[0].length }
}
