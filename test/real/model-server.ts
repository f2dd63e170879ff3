// A loopback stand-in for the model APIs, so that the real agents run with no network and no account. Every answer says how many messages
// the agent sent, and every request is remembered, so that a test sees what a resume kept.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { anthropic } from './models/anthropic.ts'
import { decide, type Model, sendJson } from './models/exchange.ts'
import { gemini } from './models/gemini.ts'
import { openaiChat } from './models/openai-chat.ts'
import { openaiResponses } from './models/openai-responses.ts'

const MODELS: readonly Model[] = [anthropic, openaiResponses, openaiChat, gemini]

/** One request for the next step of a conversation, as the agent sent it. */
export interface Asked {
  messages: unknown[]
  /** The names of the tools that it offers. */
  tools: string[]
  refused: string | undefined
}

export interface ModelServer {
  port: number
  /** The conversation requests since `forget`, oldest first. Requests for a title or the like are not among them. */
  asked: readonly Asked[]
  forget(): void
  stop(): Promise<void>
}

export async function startModelServer(): Promise<ModelServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    serve(request, response, asked).catch((error: unknown) => sendJson(response, 500, { error: String(error) }))
  })
  const port = await listen(server)
  return {
    port,
    asked,
    forget: () => void asked.splice(0),
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
      else reject(new Error('The model server has no port.'))
    })
  })
}

async function serve(request: IncomingMessage, response: ServerResponse, asked: Asked[]): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? ''
  const raw = await bodyOf(request)
  if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 10 })
  if (path.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 10 })
  const model = MODELS.find(candidate => candidate.serves(path))
  if (model === undefined) return sendJson(response, 404, { error: { message: `not served here: ${path}` } })
  const body: unknown = JSON.parse(raw.toString('utf8'))
  const understood = model.understand(body, path)
  const refused = model.refuses?.(body)
  if (understood.shell !== undefined) asked.push({ messages: understood.messages, tools: understood.tools, refused })
  if (refused === undefined) return model.answer(response, understood, decide(understood))
  sendJson(response, 400, { type: 'error', error: { type: 'invalid_request_error', message: refused } })
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
