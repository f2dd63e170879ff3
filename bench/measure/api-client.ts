// A client of the API as a measurement needs it: one session, one stream of events, one prompt at a time.
import { Agent, type IncomingMessage, request } from 'node:http'
import type { MeasuredServer } from './served.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const IDLE = '"type":"session.idle"'
const BUSY = '"status":{"type":"busy"}'
/** The first words of an answer come as its part, grown. */
const OF_ANSWER = '"text":"word1'

export class ApiClient {
  readonly #server: MeasuredServer
  readonly #agent = new Agent({ keepAlive: true })
  #events: IncomingMessage | undefined
  #path = ''
  #firstAt: number | undefined
  #answerAt: number | undefined
  #onIdle: () => void = () => {}

  private constructor(server: MeasuredServer) {
    this.#server = server
  }

  static async open(server: MeasuredServer): Promise<ApiClient> {
    const client = new ApiClient(server)
    const events = await client.#send('GET', '/event')
    client.#events = events
    events.on('data', (chunk: Buffer) => client.#hear(chunk))
    const { id } = JSON.parse(await textOf(await client.#send('POST', '/session', {})))
    client.#path = `/session/${id}/message`
    return client
  }

  /** Milliseconds to the first that is heard of the turn, to the first piece of the answer, and to the response. */
  async prompt(text: string): Promise<{ first: number; answer: number; end: number }> {
    this.#firstAt = undefined
    this.#answerAt = undefined
    const { promise: isIdle, resolve } = Promise.withResolvers<void>()
    this.#onIdle = resolve
    const begun = performance.now()
    await textOf(await this.#send('POST', this.#path, { parts: [{ type: 'text', text }] }))
    const end = performance.now() - begun
    // The response may overtake the events.
    await isIdle
    if (this.#firstAt === undefined || this.#answerAt === undefined) throw new Error('Nothing was heard of the answer.')
    return { first: this.#firstAt - begun, answer: this.#answerAt - begun, end }
  }

  close(): void {
    this.#events?.destroy()
    this.#agent.destroy()
  }

  #hear(chunk: Buffer): void {
    if (chunk.includes(BUSY)) this.#firstAt ??= performance.now()
    if (chunk.includes(OF_ANSWER)) this.#answerAt ??= performance.now()
    if (chunk.includes(IDLE)) this.#onIdle()
  }

  async #send(method: string, path: string, body?: object): Promise<IncomingMessage> {
    const { port, token } = this.#server
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : JSON_TYPE) }
    const given = { host: '127.0.0.1', port, path: `/opencode${path}`, method, headers, agent: this.#agent }
    return await new Promise((resolve, reject) => {
      const asked = request(given, answer => {
        if (answer.statusCode === 200) resolve(answer)
        else reject(new Error(`${method} ${path} answered ${answer.statusCode}.`))
      })
      asked.on('error', reject)
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
