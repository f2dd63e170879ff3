// How good a match is. Only the order matters; conversations with equal scores are ordered by time.
import type { Role } from '../model/message.ts'
import type { Snippet } from './marks.ts'
import type { SearchMatch } from './shapes.ts'

/** What a person said is remembered before what a tool printed. */
const WEIGHT_OF_PART: Record<SearchMatch['part'], number> = {
  text: 1,
  file: 0.8,
  'tool-call': 0.7,
  thinking: 0.65,
  'tool-result': 0.6,
  notice: 0.4,
}
const WEIGHT_OF_USER = 1.15
/** A match in a short text says more than one in a long text. */
const LENGTH_UNIT = 300
const LENGTH_EFFECT = 0.12
/** Terms this close together count as a phrase. */
const NEAR_CHARACTERS = 60
const SPREAD_FACTOR = 0.45
const SUBAGENT_FACTOR = 0.9
/** Scores closer than this are equal. */
const EQUAL = 0.02

export function rankPart(role: Role, part: SearchMatch['part'], size: number): number {
  const own = WEIGHT_OF_PART[part] * (role === 'user' && part === 'text' ? WEIGHT_OF_USER : 1)
  return own / (1 + LENGTH_EFFECT * Math.log(1 + size / LENGTH_UNIT))
}

export interface RankedText {
  role: Role
  part: SearchMatch['part']
  size: number
  marks: number
  snippet: Snippet
  /** How many terms the query has. */
  terms: number
}

export function rankText({ role, part, size, marks, snippet, terms }: RankedText): number {
  const covered = terms === 0 ? 1 : snippet.terms / terms
  const near = snippet.terms < 2 ? 1 : NEAR_CHARACTERS / Math.max(NEAR_CHARACTERS, snippet.span)
  const often = Math.min(1, Math.log2(1 + marks / Math.max(1, terms)) / 3)
  return rankPart(role, part, size) * (0.35 + 0.4 * covered * (0.5 + 0.5 * near) + 0.25 * often)
}

export interface RankedSession {
  best: number
  hits: number
  messages: number
  /** The share of the terms that are in it. */
  terms: number
  /** The share of the terms that are in the title. */
  titleTerms: number
  /** The terms are in different messages. */
  isSpread: boolean
  isSubagent: boolean
}

export function scoreOf({ best, hits, messages, terms, titleTerms, isSpread, isSubagent }: RankedSession): number {
  const words = best + densityOf(hits, messages)
  const own = words * (isSpread ? SPREAD_FACTOR : 1) + 0.5 * titleTerms ** 2
  return own * terms * (isSubagent ? SUBAGENT_FACTOR : 1)
}

/** A conversation about something names it more often than a long one that comes across it. */
export function densityOf(hits: number, messages: number): number {
  return 0.06 * Math.log2(1 + hits) - 0.05 * Math.log2(1 + messages)
}

export function isEqual(one: number, other: number): boolean {
  return Math.round(one / EQUAL) === Math.round(other / EQUAL)
}
