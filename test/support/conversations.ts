// Small conversations of one agent as its log files, healthy or with a broken link, old enough that nobody counts as writing them.
import { appendFileSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { put } from './home.ts'

export const AGENT = 'claude-code'
const STORE = '.claude/projects/-work-shop'
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))
const LENGTH = 10
const NOWHERE = 999_999_999

export interface Conversation {
  id: string
  file: string
  /** Where it was held, and where it is resumed. */
  folder: string
}

export interface ConversationOptions {
  messages?: number
  /** This one goes on from a record that is nowhere, so that all before it are lost. */
  brokenAt?: number
  /** After this one stands a line that is no record. */
  junkAfter?: number
  /** In place of the words of the first message. */
  text?: string
  /** A picture in the first message, in base64. */
  picture?: string
  /** Changed now, as by an agent that is at it. */
  isFresh?: boolean
  /** In place of one that its agent would give: the name of the file. */
  id?: string
}

export function sessionId(n: number): string {
  return `abcdef00-0000-4000-8000-${String(n).padStart(12, '0')}`
}

export function putConversation(home: string, n: number, options: ConversationOptions = {}): Conversation {
  const { messages = LENGTH, brokenAt, junkAfter } = options
  const folder = join(home, 'work', 'shop')
  mkdirSync(folder, { recursive: true })
  const id = options.id ?? sessionId(n)
  const lines = Array.from({ length: messages }, (_, index) => {
    const parent = index === 0 ? null : index + 1 === brokenAt ? uuid(NOWHERE) : uuid(index)
    const junk = index + 1 === junkAfter ? '{"type":"user","mess\n' : ''
    return (
      record(index + 1, {
        id,
        folder,
        parent,
        ...(index === 0 ? { text: options.text, picture: options.picture } : {}),
      }) + junk
    )
  })
  const file = put(home, `${STORE}/${id}.jsonl`, lines.join(''))
  if (options.isFresh !== true) utimesSync(file, LONG_AGO, LONG_AGO)
  return { id, file, folder }
}

/** As its agent would write one more; `n` is its place, from 1. */
export function appendMessage(conversation: Conversation, n: number, text?: string): void {
  appendFileSync(conversation.file, messageLine(conversation, n, text))
}

/** With its newline. */
export function messageLine({ id, folder }: Conversation, n: number, text?: string): string {
  return record(n, { id, folder, parent: uuid(n - 1), text })
}

/** So that nobody counts as writing it any more. */
export function makeOld({ file }: Conversation): void {
  utimesSync(file, LONG_AGO, LONG_AGO)
}

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

interface RecordOptions {
  id: string
  folder: string
  parent: string | null
  text?: string | undefined
  picture?: string | undefined
}

function record(n: number, { id, folder, parent, text, picture }: RecordOptions): string {
  const isPrompt = n % 2 === 1
  const words = text ?? (isPrompt ? `question ${n}` : `answer ${n}`)
  const pictures =
    picture === undefined
      ? []
      : [{ type: 'image', source: { type: 'base64', media_type: 'image/svg+xml', data: picture } }]
  const content = isPrompt && picture === undefined ? words : [{ type: 'text', text: words }, ...pictures]
  const message = isPrompt
    ? { role: 'user', content }
    : { id: `msg_${n}`, type: 'message', role: 'assistant', model: 'm', content }
  return `${JSON.stringify({
    parentUuid: parent,
    isSidechain: false,
    userType: 'external',
    cwd: folder,
    sessionId: id,
    version: '2.1.25',
    gitBranch: 'main',
    type: isPrompt ? 'user' : 'assistant',
    message,
    uuid: uuid(n),
    timestamp: new Date(Date.UTC(2026, 0, 1, 9) + n * 1000).toISOString(),
  })}\n`
}
