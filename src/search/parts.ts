// The searchable text of each part of a message, and its kind as a number.
import type { Message, Part, Role } from '../model/message.ts'
import type { SearchMatch, SearchRole } from './shapes.ts'

/**
 * Of a tool's call and of its output, the first and the last characters are indexed: errors are at the end.
 */
export const CLIP_HEAD = 12_000
export const CLIP_TAIL = 4000
/** Of what was said, thought or noted. */
export const CLIP_SAID = 1_000_000

const ROLES = ['user', 'assistant', 'tool', 'system'] as const satisfies readonly Role[]
export const KINDS = ['text', 'thinking', 'tool-call', 'tool-result', 'file', 'notice', 'title'] as const
type Kind = (typeof KINDS)[number]

export interface PartKind {
  role: Role
  /** `title`: not a part of a message, but the title of the conversation. */
  part: SearchMatch['part'] | 'title'
}

export function packKind({ role, part }: PartKind): number {
  return ROLES.indexOf(role) * 16 + KINDS.indexOf(part)
}

export function unpackKind(packed: number): PartKind {
  return { role: ROLES[packed >> 4] ?? 'system', part: KINDS[packed & 15] ?? 'notice' }
}

const FACET_OF_ROLE: Record<SearchRole, string> = { user: 'ru', assistant: 'ra', tool: 'rt' }

/** Words in a column of their own: the session, and the roles under which the part is found. */
export function facetsOf(session: number, { role, part }: PartKind): string {
  const isTool = role === 'tool' || part === 'tool-call' || part === 'tool-result'
  const own = part === 'title' || role === 'system' ? '' : ` ${FACET_OF_ROLE[role]}`
  return `${sessionFacet(session)}${own}${isTool && role !== 'tool' ? ` ${FACET_OF_ROLE.tool}` : ''}`
}

/** Whether a word, or the beginning of one, could be found among the facets. */
export function mayBeFacet(word: string): boolean {
  return /^(?:s\d*|r[uat]?)$/.test(word)
}

export function sessionFacet(session: number): string {
  return `s${session}`
}

export function roleExpression(role: SearchRole): string {
  return `{facets} : "${FACET_OF_ROLE[role]}"`
}

export function sessionsExpression(sessions: readonly number[]): string {
  return `{facets} : (${sessions.map(id => `"${sessionFacet(id)}"`).join(' OR ')})`
}

export interface PartText {
  kind: Exclude<Kind, 'title'>
  text: string
}

/** The whole text of a part. Empty where it has none. */
export function textOf(part: Part): PartText {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'notice':
      return { kind: part.type, text: part.text }
    case 'tool-call':
      return { kind: 'tool-call', text: [part.name, ...stringsIn(part.input)].join('\n') }
    case 'tool-result':
      return { kind: 'tool-result', text: part.output }
    case 'file':
      return { kind: 'file', text: [part.name, part.reference].filter(Boolean).join('\n').slice(0, CLIP_HEAD) }
    case 'unknown':
      return { kind: 'notice', text: [part.recordType, ...stringsIn(part.value)].join('\n') }
  }
}

/** What of a text is indexed. */
export function clip({ kind, text }: PartText): string {
  if (kind !== 'tool-call' && kind !== 'tool-result') return text.length > CLIP_SAID ? text.slice(0, CLIP_SAID) : text
  if (text.length <= CLIP_HEAD + CLIP_TAIL) return text
  return `${text.slice(0, CLIP_HEAD)}\n${text.slice(-CLIP_TAIL)}`
}

const MAX_DEPTH = 12

/** The texts and numbers in a value, without the names of its fields. */
export function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  return Object.values(value).flatMap(each => stringsIn(each, depth + 1))
}

export function partTexts(message: Message): PartText[] {
  return message.parts.map(textOf)
}
