// What is searched for: in all conversations, and in the open one. Both are part of the address, so that a
// search can be shared and reloaded.
import { makeStore } from './store.ts'

type Name = 'search' | 'find'

function fromAddress(name: Name): string | null {
  return new URLSearchParams(location.hash.slice(1)).get(name)
}

function toAddress(name: Name, text: string | null): void {
  const parameters = new URLSearchParams(location.hash.slice(1))
  if (text === null || text === '') parameters.delete(name)
  else parameters.set(name, text)
  const hash = parameters.toString()
  history.replaceState(history.state, '', hash === '' ? location.pathname + location.search : `#${hash}`)
}

/** The words in the palette. Null while it is closed. */
export const searched = makeStore<string | null>(fromAddress('search'))
/** The words to find in the open conversation. Null while nothing is searched there. */
export const wanted = makeStore<string | null>(fromAddress('find'))

export function setSearched(text: string | null): void {
  searched.set(text)
  toAddress('search', text)
}

/**
 * The message that a person chose among those that were found. The search in its conversation begins there.
 */
let chosen: number | undefined

export function takeChosen(): number | undefined {
  const message = chosen
  chosen = undefined
  return message
}

export function setWanted(text: string | null, message?: number): void {
  chosen = message
  wanted.set(text)
  toAddress('find', text)
}

export interface SearchWords {
  text: string
  agent?: string
  role?: 'user' | 'assistant' | 'tool'
  project?: string
  file?: string
  since?: string
  until?: string
}

const FILTER = /(?:^|\s)(agent|role|project|file|since|until):(\S+)/g
const UNIT_MS: Record<string, number> = {
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  mo: 2_592_000_000,
  y: 31_536_000_000,
}

/** `deploy role:user since:2w`: words, and filters among them. A filter that means nothing is a word. */
export function parseSearch(typed: string, now: number): SearchWords {
  const filters: Omit<SearchWords, 'text'> = {}
  const text = typed.replace(FILTER, (all: string, name: string, value: string) => {
    const filter = filterOf(name, value, now)
    Object.assign(filters, filter)
    return filter === undefined ? all : ' '
  })
  return { text: text.trim().replace(/\s+/g, ' '), ...filters }
}

function filterOf(name: string, value: string, now: number): Omit<SearchWords, 'text'> | undefined {
  switch (name) {
    case 'role':
      return value === 'user' || value === 'assistant' || value === 'tool' ? { role: value } : undefined
    case 'since':
    case 'until': {
      const time = timeOf(value, now)
      return time === undefined ? undefined : { [name]: time }
    }
    default:
      return { [name]: value }
  }
}

function timeOf(text: string, now: number): string | undefined {
  const [, count, unit = ''] = /^(\d+)(h|d|w|mo|y)$/.exec(text) ?? []
  const time = count === undefined ? Date.parse(text) : now - Number(count) * (UNIT_MS[unit] ?? 0)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** What to mark on the page: words, and quoted texts as a whole. Exclusions and filters are left out. */
export function markedWords(text: string): string[] {
  const words: string[] = []
  for (const [, quoted, plain = ''] of text.matchAll(/(?<!\S)-?"([^"]*)"|(\S+)/g)) {
    if (quoted !== undefined) words.push(quoted)
    else if (!/^-[\p{L}\p{N}]/u.test(plain)) words.push(plain.replace(/\*$/, '').replace(/^"/, ''))
  }
  return [...new Set(words.map(word => word.trim().toLowerCase()))].filter(word => /[\p{L}\p{N}]/u.test(word))
}
