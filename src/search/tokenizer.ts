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
  const { replaced, identifiers } = examine(source)
  const pieces = new Set<string>()
  for (const identifier of identifiers) for (const piece of piecesOf(identifier)) pieces.add(piece)
  const text = replaced.length === 0 ? source : withReplaced(source, replaced, pieces)
  return { text: text.toWellFormed().replaceAll('\0', ' '), pieces: pieces.size === 0 ? '' : [...pieces].join(' ') }
}

interface Examined {
  /** In their order: long runs, which are left out, and runs without spaces, which are divided. */
  replaced: { start: number; end: number; isSpaceless: boolean }[]
  identifiers: Set<string>
}

const OTHER = 0
const LOWER = 1
const UPPER = 2
/** In base64, + / and = are part of a run. */
const RUN_SIGN = 3
const KIND_OF_ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z0-9]/.test(character)) return LOWER
  if (/[A-Z]/.test(character)) return UPPER
  return /[+/=]/.test(character) ? RUN_SIGN : OTHER
})

/** Also true for a few characters of other scripts: `SPACELESS` decides. */
function maySpaceless(code: number): boolean {
  if (code < FIRST_SPACELESS) return false
  return code < 0x1a00 || (code >= 0x2e80 && code < 0xe000) || (code >= 0xf900 && code < 0xfb00) || code >= 0xff66
}

/** One pass over the characters: a regular expression for each would take most of the time of indexing. */
function examine(text: string): Examined {
  const found: Examined = { replaced: [], identifiers: new Set() }
  let run = 0
  let word = 0
  let spaceless = -1
  let isMixed = false
  let wasLower = false
  const { length } = text
  for (let at = 0; at <= length; at++) {
    const code = at === length ? 32 : text.charCodeAt(at)
    const kind = code < 128 ? KIND_OF_ASCII[code] : OTHER
    if (kind === LOWER) {
      // `HTTPServer` at the first small letter after two capitals.
      if (!wasLower && at - word >= 2) isMixed = true
      wasLower = true
      continue
    }
    if (kind === UPPER) {
      // `getUser` at its U.
      if (wasLower) isMixed = true
      wasLower = false
      continue
    }
    if (isMixed && at - word <= MAX_IDENTIFIER) found.identifiers.add(text.slice(word, at))
    isMixed = false
    wasLower = false
    word = at + 1
    if (kind === RUN_SIGN) continue
    // Letters and digits end a run without spaces as well: it cannot reach over `run`.
    if (spaceless !== -1 && (run < at || !maySpaceless(code))) {
      found.replaced.push({ start: spaceless, end: run, isSpaceless: true })
      spaceless = -1
    }
    if (at - run > MAX_RUN) found.replaced.push({ start: run, end: at, isSpaceless: false })
    run = at + 1
    if (spaceless === -1 && maySpaceless(code)) spaceless = at
  }
  return found
}

function withReplaced(text: string, replaced: Examined['replaced'], pieces: Set<string>): string {
  let made = ''
  let from = 0
  for (const { start, end, isSpaceless } of replaced) {
    made += text.slice(from, start)
    if (isSpaceless) made += text.slice(start, end).replace(SPACELESS, run => divided(run, pieces))
    from = end
  }
  return made + text.slice(from)
}

function divided(run: string, pieces: Set<string>): string {
  for (const pair of pairsOf(run)) pieces.add(pair)
  return ` ${segment(run).join(' ')} `
}

/** `getUserName` → get, User, Name; `HTTPServer2` → HTTP, Server2. Empty where there is only one. */
export function piecesOf(identifier: string): string[] {
  const pieces = identifier.match(/[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[0-9]+/g) ?? []
  return pieces.length < 2 ? [] : pieces.filter(piece => piece.length > 1)
}

let segmenter: Intl.Segmenter | undefined
const MAX_KNOWN_RUN = 16
const MAX_KNOWN_RUNS = 10_000
/** Short runs are repeated again and again, and to divide one takes longer than to index it. */
const knownRuns = new Map<string, readonly string[]>()

/** The words of a run without spaces. */
export function segment(run: string): readonly string[] {
  const known = knownRuns.get(run)
  if (known !== undefined) return known
  // Most texts need none, and it takes longer to make than a search.
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  const words = Array.from(segmenter.segment(run), ({ segment: word }) => word)
  if (run.length > MAX_KNOWN_RUN) return words
  if (knownRuns.size >= MAX_KNOWN_RUNS) knownRuns.clear()
  knownRuns.set(run, words)
  return words
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
export function foldForSearch(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** The words of a text as the index divides it, folded. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map(foldForSearch)
}
