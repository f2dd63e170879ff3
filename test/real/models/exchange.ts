// What every model API here has in common: a request as we understand it, and the answer we decide on before it is put into the API's own words.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripReplay } from '../../../src/journal/restore/replay/mark.ts'

export interface Request {
  /** What was said so far and the new prompt, in the API's own shape, without what the agent tells the model on its own account. */
  messages: unknown[]
  /** The new text of the person: empty where the request hands in the result of a tool. */
  prompt: string
  /** The name under which the agent offers a shell. A request without one is about something else: a title, a summary. */
  shell: string | undefined
  subagent?: string | undefined
  /** The names of all tools that the agent offers. */
  tools: string[]
  isStream: boolean
  model: string
}

export interface Answer {
  thinking: string | undefined
  text: string
  /** The text in the pieces in which it is streamed. */
  pieces: string[]
  /** Between the pieces. */
  pauseMs: number
  call: { id: string; name: string; input: Record<string, unknown> } | undefined
}

export interface Model {
  /** Whether a path of the API is this model's. */
  serves(path: string): boolean
  understand(body: unknown, path: string): Request
  /** Why the real API would not take this request. */
  refuses?(body: unknown): string | undefined
  answer(response: ServerResponse, request: Request, answer: Answer): void | Promise<void>
}

/** The tool with which an agent loads tools that it does not offer at once. */
export const TOOL_SEARCH = 'ToolSearch'
export const SIGNATURE = Buffer.from('a signature').toString('base64')
const SHELL_COMMAND = 'echo tool-output'
/** Not one of those that agents run without a permission. */
const WRITING_COMMAND = 'echo tool-output > made-by-tool && cat made-by-tool'
const SLOW_WORDS = 40
const SLOW_PAUSE_MS = 200

let count = 0
export function freshId(prefix: string): string {
  count += 1
  return `${prefix}${Date.now().toString(36)}${count.toString(36).padStart(5, '0')}`
}

/**
 * MCP in a prompt, with the name of a tool and its input, asks for a call of it, under whatever name the agent offers it.
 * An agent that offers a search for tools instead is asked for the tool first.
 */
function mcpCall(prompt: string, tools: readonly string[]): Answer['call'] {
  const [, wanted = '', input = '{}'] = /\bMCP (\w+) (\{[^}]*\})/.exec(prompt) ?? []
  const name = wanted === '' ? undefined : tools.find(offered => offered.endsWith(wanted))
  if (name !== undefined) return { id: freshId('toolu_'), name, input: JSON.parse(input.replaceAll('\\"', '"')) }
  if (wanted === '' || !tools.includes(TOOL_SEARCH)) return undefined
  return {
    id: freshId('toolu_'),
    name: TOOL_SEARCH,
    input: { query: `select:mcp__rethread__${wanted}`, max_results: 1 },
  }
}

/** TOOL in a prompt asks for a shell call, WRITE for one that writes a file, SUBAGENT for a subagent, THINK for thoughts, SLOW for an answer of eight seconds, word by word. */
export function decide(request: Request): Answer {
  // What a replay tells of was asked for long ago.
  const prompt = stripReplay(request.prompt)
  const asks = (word: string) => new RegExp(`\\b${word}\\b`).test(prompt)
  const command = asks('WRITE') ? WRITING_COMMAND : asks('TOOL') ? SHELL_COMMAND : undefined
  const call =
    command !== undefined && request.shell !== undefined
      ? { id: freshId('toolu_'), name: request.shell, input: { command, description: 'print a line' } }
      : asks('SUBAGENT') && request.subagent !== undefined
        ? { id: freshId('toolu_'), name: request.subagent, input: SUBAGENT_INPUT }
        : mcpCall(prompt, request.tools)
  const history = `history=${request.messages.length}`
  const isSlow = call === undefined && asks('SLOW')
  const text = call !== undefined ? 'I will use a tool.' : isSlow ? `${SLOW_TEXT}${history}` : history
  const pieces = isSlow ? text.split(/(?<= )/) : [text]
  return { thinking: asks('THINK') ? 'considering it' : undefined, text, pieces, pauseMs: SLOW_PAUSE_MS, call }
}
const SLOW_TEXT = Array.from({ length: SLOW_WORDS }, (_, at) => `word${at} `).join('')
const SUBAGENT_INPUT = { description: 'look around', prompt: 'list the files', subagent_type: 'general-purpose' }

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

export interface StreamEvent {
  /** Left out where the API names none. */
  event?: string
  data: unknown
  /** Waited before it. */
  pauseMs?: number
}

/** Server-sent events, until all are sent or nobody reads them any more. */
export async function sendEvents(response: ServerResponse, events: Iterable<StreamEvent>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data, pauseMs = 0 } of events) {
    if (pauseMs > 0) await sleep(pauseMs)
    if (response.destroyed) return
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`)
  }
  response.end()
}

/** The first piece comes at once. */
export function paced<T>({ pieces, pauseMs }: Answer, make: (piece: string) => T): { made: T; pauseMs: number }[] {
  return pieces.map((piece, at) => ({ made: make(piece), pauseMs: at === 0 ? 0 : pauseMs }))
}
