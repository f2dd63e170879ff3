// Replaces what looks like a key, a token, a password, a home path or an e-mail address, and counts it. No
// list of patterns is complete, so whatever shows the result must say so.
import { homedir, userInfo } from 'node:os'
import { formatNumber } from '../model/format-number.ts'
import type { Message, Part } from '../model/message.ts'
import type { RedactedKind } from './redaction-patterns.ts'
import { REDACTION_PATTERNS, SECRET_FIELD } from './redaction-patterns.ts'

export const NOT_PERFECT = 'No redaction is perfect: read the file before you share it.'

/** A call with deeper input than this was not made by a person or a model. */
const MAX_DEPTH = 500

/** How many were replaced, by kind. */
export type Redacted = Partial<Record<RedactedKind, number>>

export interface Redactor {
  readonly counts: Redacted
  text(text: string): string
  /** The place in the file stays: a format that shows it leaves it out. */
  message(message: Message): Message
  /** Every text in a value, at any depth. */
  value(value: unknown): unknown
}

/** `homes` are replaced by ~ wherever they are, such as the home of the person who exports. */
export function makeRedactor(homes: readonly string[] = []): Redactor {
  const counts: Redacted = {}
  const count = (kind: RedactedKind): void => {
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  const known = homes.filter(home => home.length > 3).sort((a, b) => b.length - a.length)
  const text = (whole: string): string => {
    let clean = whole
    for (const home of known)
      clean = clean.replaceAll(home, () => {
        count('home path')
        return '~'
      })
    for (const { kind, pattern, replacement = `[redacted: ${kind}]` } of REDACTION_PATTERNS)
      clean = clean.replace(pattern, (_, first: unknown) => {
        count(kind)
        return replacement.replace('$1', () => (typeof first === 'string' ? first : ''))
      })
    return clean
  }
  const value = (whole: unknown, name?: string, depth = 0): unknown => {
    if (depth > MAX_DEPTH) return '(nested too deeply to be shown)'
    if (typeof whole === 'string') {
      if (name === undefined || whole === '' || !SECRET_FIELD.test(name)) return text(whole)
      count('password')
      return '[redacted: password]'
    }
    if (Array.isArray(whole)) return whole.map(item => value(item, undefined, depth + 1))
    if (typeof whole !== 'object' || whole === null) return whole
    return Object.fromEntries(Object.entries(whole).map(([key, item]) => [text(key), value(item, key, depth + 1)]))
  }
  return {
    counts,
    text,
    value: whole => value(whole),
    message: message => ({
      ...message,
      parts: message.parts.map(part => redactPart(part, text, whole => value(whole))),
    }),
  }
}

/** The home folders of this process, for which ~ stands. */
export function ownHomes(home: string): string[] {
  return [...new Set([home, homedir(), safely(() => userInfo().homedir)])].filter(path => path !== '')
}

function safely(step: () => string): string {
  try {
    return step()
  } catch {
    // A user without an entry in the list of users has no other home.
    return ''
  }
}

/** A picture may show anything, so its bytes are left out. */
function redactPart(part: Part, text: (text: string) => string, value: (value: unknown) => unknown): Part {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'notice':
      return { ...part, text: text(part.text) }
    case 'tool-call':
      return { ...part, input: value(part.input) }
    case 'tool-result':
      return { ...part, output: text(part.output) }
    case 'file': {
      const { data: _, ...rest } = part
      return { ...rest, name: named(part.name, text), reference: named(part.reference, text) }
    }
    case 'unknown':
      return { ...part, value: value(part.value) }
  }
}

function named(name: string | null, text: (text: string) => string): string | null {
  return name === null ? null : text(name)
}

/** "2 API keys and 1 home path", or "nothing". */
export function describeRedacted(counts: Redacted): string {
  const words = Object.entries(counts).map(([kind, number]) => {
    const many = kind.endsWith('s') ? `${kind}es` : `${kind}s`
    return `${formatNumber(number)} ${number === 1 ? kind : many}`
  })
  if (words.length === 0) return 'nothing'
  return words.length === 1 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
