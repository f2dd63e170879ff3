// What a person types, as terms, and as an expression of the index. Every text has a meaning: what cannot be
// parsed is searched as plain words.
import { mayBeFacet } from './parts.ts'
import { foldForSearch, pairsOf, piecesOf, segment, spacelessRuns, wordsOf } from './tokenizer.ts'

export interface Term {
  /**
   * A `phrase` has words and spaces alone. An `exact` text has other
   * characters too, and is compared with the text.
   */
  type: 'word' | 'prefix' | 'phrase' | 'exact'
  /** As it was typed, without quotes and marks. */
  text: string
  isNot: boolean
}

/** More words make a query slow and no better. */
const MAX_TERMS = 32

/**
 * A quoted text, or a word, with a minus before it or a star after
 * it. A quote that is not closed is a character.
 */
const TERM = /(?<!\S)(-?)"([^"]*)"(?=\s|$)|(\S+)/g

export function parseQuery(text: string): Term[] {
  const terms = [...readTerms(text.toWellFormed())].slice(0, MAX_TERMS)
  // Only exclusions would match almost everything. They are taken as words, as they are typed.
  if (terms.some(({ isNot }) => !isNot)) return terms
  return terms.map(term => ({ ...term, isNot: false }))
}

/** As a person types: the last word is the beginning of one. */
export function parseTyped(text: string, isTyping = false): Term[] {
  const terms = parseQuery(text)
  const last = terms.at(-1)
  if (!isTyping || last?.type !== 'word' || last.isNot || /\s$/.test(text)) return terms
  return [...terms.slice(0, -1), { ...last, type: 'prefix' }]
}

function* readTerms(text: string): Generator<Term, void, void> {
  for (const [, minus, quoted, plain] of text.matchAll(TERM)) {
    if (quoted !== undefined) {
      const type = /^[\p{L}\p{N}\p{M}\s]+$/u.test(quoted) ? 'phrase' : 'exact'
      if (quoted.trim() !== '') yield { type, text: quoted, isNot: minus === '-' }
      continue
    }
    const isNot = /^-[\p{L}\p{N}]/u.test(plain ?? '')
    const word = isNot ? (plain ?? '').slice(1) : (plain ?? '')
    const isPrefix = /[\p{L}\p{N}]\*$/u.test(word)
    const own = isPrefix ? word.slice(0, -1) : word
    if (wordsOf(own).length > 0) yield { type: isPrefix ? 'prefix' : 'word', text: own, isNot }
  }
}

/** `isLoose`: an exact text may begin inside a word. There are more candidates then. */
export interface ExpressionOptions {
  isLoose?: boolean
}

/** Undefined for a query without a word that could be found. */
export function expressionOf(terms: readonly Term[], options: ExpressionOptions = {}): string | undefined {
  const wanted = terms.filter(({ isNot }) => !isNot).flatMap(term => termExpression(term, options) ?? [])
  const unwanted = terms
    .filter(({ isNot, type }) => isNot && type !== 'exact')
    .flatMap(term => termExpression(term) ?? [])
  if (wanted.length === 0) return undefined
  const all = wanted.map(each => `(${each})`).join(' AND ')
  return unwanted.length === 0 ? all : `(${all}) NOT (${unwanted.map(each => `(${each})`).join(' OR ')})`
}

/** Undefined for a term without a word, such as a quoted bracket. */
export function termExpression({ type, text }: Term, { isLoose = false }: ExpressionOptions = {}): string | undefined {
  const words = wordsOf(text)
  if (words.length === 0) return undefined
  const runs = spacelessRuns(text)
  if (runs.length > 0) return spacelessExpression(text, runs)
  switch (type) {
    case 'phrase':
      return `${said(words)}${quoted(text)}`
    case 'exact':
      return exactExpression(text, words, isLoose)
    case 'prefix':
      return `${said(words)}${quoted(text)} *`
    case 'word': {
      const pieces = words.length === 1 ? piecesOf(text) : []
      const asTyped = `${said(words)}${quoted(text)}`
      // An identifier is also found where it is written with other separators: getUserName, get_user_name.
      return pieces.length > 1 ? `${asTyped} OR {text} : ${quoted(pieces.join(' '))}` : asTyped
    }
  }
}

/**
 * The columns of what was said. To name them makes a query slower
 * by half, so it is done only where it matters.
 */
function said(words: readonly string[]): string {
  return words.every(mayBeFacet) ? '{text pieces} : ' : ''
}

/** Candidates for a text that is compared afterwards. It may end inside a word: the last word is a prefix. */
function exactExpression(text: string, words: readonly string[], isLoose: boolean): string {
  const star = /[\p{L}\p{N}\p{M}]$/u.test(text) ? ' *' : ''
  const isOpen = isLoose && /^[\p{L}\p{N}\p{M}]/u.test(text)
  if (isOpen && words.length > 1) return `{text} : ${quoted(words.slice(1).join(' '))}${star}`
  return isOpen ? `{pieces} : ${quoted(text)} *` : `{text} : ${quoted(words.join(' '))}${star}`
}

/** By words, and where the query is divided otherwise than the text, by all its pairs of characters. */
function spacelessExpression(text: string, runs: readonly string[]): string {
  const words = runs.reduce((rest, run) => rest.replace(run, ` ${segment(run).join(' ')} `), text)
  const byWords = `{text} : ${quoted(words)} *`
  const others = wordsOf(runs.reduce((rest, run) => rest.replace(run, ' '), text))
  const pairs = [...new Set(runs.flatMap(pairsOf))]
  const byPairs = [
    ...pairs.map(pair => `{pieces} : ${quoted(pair)}`),
    ...others.map(word => `{text} : ${quoted(word)} *`),
  ]
  return byPairs.length === 0 ? byWords : `${byWords} OR (${byPairs.join(' AND ')})`
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', ' ').replaceAll('\0', ' ')}"`
}

/** Whether the text has what an exact term asks for: every character, in any case. */
export function hasExact(text: string, term: Term): boolean {
  return text.toLowerCase().includes(term.text.toLowerCase()) || foldForSearch(text).includes(foldForSearch(term.text))
}

const SHORT_WORD = 4
/** Endings by which the forms of an English word differ. */
const ENDING = /(?:ies|es|s|ed|ing|ion|ions|er|ers|ly|y|e)$/

/**
 * The same words in any form: `reports` for `report`, `pushing` for `pushed`. Quoted texts stay as they are.
 */
export function relaxed(terms: readonly Term[]): Term[] {
  return terms.map(term => {
    if (term.type !== 'word' || term.isNot || !/^[a-z]+$/i.test(term.text) || piecesOf(term.text).length > 0)
      return term
    const stem = term.text.replace(ENDING, '')
    return { ...term, type: 'prefix', text: stem.length >= SHORT_WORD ? stem : term.text }
  })
}
