// What every model API here has in common: a request as we understand it, and the answer we decide on before it is put into the API's own words.
import type { ServerResponse } from 'node:http'

export interface Request {
  /** What was said so far and the new prompt, in the API's own shape, without what the agent tells the model on its own account. */
  messages: unknown[]
  /** The new text of the person: empty where the request hands in the result of a tool. */
  prompt: string
  /** The name under which the agent offers a shell. A request without one is about something else: a title, a summary. */
  shell: string | undefined
  subagent?: string | undefined
  isStream: boolean
  model: string
}

export interface Answer {
  thinking: string | undefined
  text: string
  call: { id: string; name: string; input: Record<string, unknown> } | undefined
}

export interface Model {
  /** Whether a path of the API is this model's. */
  serves(path: string): boolean
  understand(body: unknown, path: string): Request
  /** Why the real API would not take this request. */
  refuses?(body: unknown): string | undefined
  answer(response: ServerResponse, request: Request, answer: Answer): void
}

export const SIGNATURE = Buffer.from('a signature').toString('base64')
const SHELL_COMMAND = 'echo tool-output'

let count = 0
export function freshId(prefix: string): string {
  count += 1
  return `${prefix}${Date.now().toString(36)}${count.toString(36).padStart(5, '0')}`
}

/** TOOL in a prompt asks for a shell call, SUBAGENT for a subagent, THINK for thoughts. */
export function decide(request: Request): Answer {
  const asks = (word: string) => new RegExp(`\\b${word}\\b`).test(request.prompt)
  const call =
    asks('TOOL') && request.shell !== undefined
      ? { id: freshId('toolu_'), name: request.shell, input: { command: SHELL_COMMAND, description: 'print a line' } }
      : asks('SUBAGENT') && request.subagent !== undefined
        ? { id: freshId('toolu_'), name: request.subagent, input: SUBAGENT_INPUT }
        : undefined
  const text = call === undefined ? `history=${request.messages.length}` : 'I will use a tool.'
  return { thinking: asks('THINK') ? 'considering it' : undefined, text, call }
}
const SUBAGENT_INPUT = { description: 'look around', prompt: 'list the files', subagent_type: 'general-purpose' }

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Server-sent events; `event` is left out where the API names none. */
export function sendEvents(response: ServerResponse, events: Iterable<{ event?: string; data: unknown }>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of events) {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`)
  }
  response.end()
}
