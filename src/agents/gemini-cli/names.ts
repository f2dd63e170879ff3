// The store and the session id of a file, from its name and first bytes.
import { parseJson } from '../../bytes/json.ts'
import { asObject, asText } from '../stores/values.ts'

export const JSON_LINES = 'json-lines'
export const DOCUMENT = 'document'

export interface FileName {
  generation: string
  base: string
  /** The time in milliseconds since 1970 at which the agent set the unreadable file aside. */
  setAside: string | undefined
}

const NAME = /^(.+)\.(jsonl?)(?:\.unreadable-(\d+))?$/s

export function parseName(name: string): FileName | undefined {
  const [, base, extension, setAside] = NAME.exec(name) ?? []
  if (base === undefined) return undefined
  return { generation: extension === 'jsonl' ? JSON_LINES : DOCUMENT, base, setAside }
}

/**
 * Several files can hold states of one session (one set aside, a document converted to a log). A suffix
 * distinguishes their ids, so that each can be requested.
 */
export function sessionIdOf(name: FileName, head: Buffer, isCarriedOver = false): string {
  const id = headerId(name, head) ?? /^session-.*-(\w{8})$/.exec(name.base)?.[1] ?? name.base
  if (name.setAside !== undefined) return `${id}.unreadable-${name.setAside}`
  return isCarriedOver ? id + CARRIED_OVER : id
}

/** Whether the first bytes of a file hold its session id. */
export function namesSession(name: FileName, head: Buffer): boolean {
  return headerId(name, head) !== undefined
}

const CARRIED_OVER = '.json'

export function isSetAside(sessionId: string): boolean {
  return /\.unreadable-\d+$/.test(sessionId)
}

/** The id as the agent knows it. */
export function ownSessionId(sessionId: string): string {
  return sessionId.endsWith(CARRIED_OVER) ? sessionId.slice(0, -CARRIED_OVER.length) : sessionId
}

function headerId(name: FileName, head: Buffer): string | undefined {
  return name.generation === JSON_LINES ? idInLines(head) : idInDocument(head)
}

/** The first line that names the session: the header or, if that is lost, a later change. */
function idInLines(head: Buffer): string | undefined {
  for (let from = 0, end = head.indexOf(0x0a); end !== -1; from = end + 1, end = head.indexOf(0x0a, from)) {
    const record = asObject(parseJson(head.subarray(from, end)))
    const id = asText(record?.['sessionId']) ?? asText(asObject(record?.['$set'])?.['sessionId'])
    if (id !== undefined) return id
  }
  return undefined
}

/** The document may be of any length, so its start is searched as text, up to the conversation. */
function idInDocument(head: Buffer): string | undefined {
  const text = head.toString('utf8').split('"messages"', 1)[0] ?? ''
  return /"sessionId"\s*:\s*"([^"\\]+)"/.exec(text)?.[1]
}
