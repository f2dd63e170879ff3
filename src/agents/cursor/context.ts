// The context that Cursor adds around a person's text, and messages that consist of it.
import { asTime } from '../stores/values.ts'

/** Written by the agent itself at the start of a conversation and between turns. */
const CONTEXT_TAG =
  /^(?:user_info|environment[\w-]*|git_status|project_layout|rules|always_applied_[\w-]+|agent_requestable_[\w-]+|agent_skills|agent_transcripts|mcp_[\w-]+|open_and_recently_viewed_files|system[_-]reminder|timestamp)$/
const OPENING_TAG = /^<([a-z][\w-]*)(?:\s[^>]*)?>/i
const QUERY_OPENS = '<user_query>'
const QUERY_CLOSES = '</user_query>'

/** Whether a text consists only of context elements. */
export function isOnlyContext(text: string): boolean {
  let rest = text.trim()
  if (rest === '') return false
  while (rest !== '') {
    const opening = OPENING_TAG.exec(rest)
    const name = opening?.[1]
    if (opening === null || name === undefined || !CONTEXT_TAG.test(name)) return false
    const closing = rest.indexOf(`</${name}>`, opening[0].length)
    if (closing === -1) return false
    rest = rest.slice(closing + name.length + '</>'.length).trimStart()
  }
  return true
}

/** The person's text without the wrapper. For titles only: a message is given as stored. */
export function promptOf(text: string): string {
  const start = text.indexOf(QUERY_OPENS)
  if (start === -1) return text
  const from = start + QUERY_OPENS.length
  const end = text.indexOf(QUERY_CLOSES, from)
  return text.slice(from, end === -1 ? undefined : end)
}

const TIMESTAMP = /<timestamp>([^<]{1,100})<\/timestamp>/

/** The time that the agent adds to a prompt, in whatever form a date can be read. */
export function timeIn(text: string): string | undefined {
  const stated = TIMESTAMP.exec(text.slice(0, 20_000))?.[1]?.trim()
  return stated === undefined ? undefined : asTime(withoutNames(stated))
}

/** `Monday, Nov 2, 2026, 9:15 AM (UTC+2)`: a date without its weekday, and with a zone that can be parsed. */
function withoutNames(stated: string): string {
  const zone = /\(?\b(?:UTC|GMT)([+-]\d{1,2})(?::?(\d{2}))?\)?/.exec(stated)
  const rest = stated.replace(/\s*\(?\b(?:UTC|GMT)[^)]*\)?/, '').replace(/^[A-Za-z]+day,\s*/, '')
  if (zone === null) return rest
  const hours = zone[1] ?? '+0'
  return `${rest} ${hours.slice(0, 1)}${hours.slice(1).padStart(2, '0')}${zone[2] ?? '00'}`
}
