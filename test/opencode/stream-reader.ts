// One of many who listen: keeps of what it hears only what shows whether something was lost, doubled or changed.
import { createHash, type Hash } from 'node:crypto'
import { Agent, get, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import { TOKEN } from '../support/opencode-server.ts'
import type { SentEvent } from './clients.ts'

const END = Buffer.from('\n\n')
const FRAME = /^id: (\d+)\ndata: (.*)$/s
/** Of one connection for each. */
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })

export interface ReaderOptions {
  /** One that was cut off: this one goes on behind the last it had. */
  after?: StreamReader
  /** For a reader that looks at what it hears. */
  onEvent?(event: SentEvent): void
}

export class StreamReader {
  /** Where it began, and the last it heard. */
  readonly firstId: number
  lastId: number
  readonly hasMissed: boolean
  /** Events whose id does not follow the one before. */
  jumps = 0
  bytes = 0
  readonly comments: string[] = []
  readonly #hash: Hash
  readonly #response: IncomingMessage
  readonly #onEvent: ReaderOptions['onEvent']
  readonly #waiting = new Set<() => void>()
  #rest: Buffer = Buffer.alloc(0)
  #isOver = false

  private constructor(response: IncomingMessage, greeting: string, { after, onEvent }: ReaderOptions) {
    const [, id = '', data = ''] = FRAME.exec(greeting) ?? []
    this.firstId = Number(id)
    this.lastId = this.firstId
    this.hasMissed = JSON.parse(data).properties.missed === true
    this.#hash = after === undefined ? createHash('sha256') : after.#hash.copy()
    this.#response = response
    this.#onEvent = onEvent
  }

  /** Greeted when it resolves: what happens from now on is heard. */
  static async open(baseUrl: string, options: ReaderOptions = {}): Promise<StreamReader> {
    const back = options.after === undefined ? {} : { 'last-event-id': String(options.after.lastId) }
    const headers = { authorization: `Bearer ${TOKEN}`, ...back }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${baseUrl}/event`, { headers, agent }, resolve).on('error', reject)
    })
    onTestFinished(() => void response.destroy())
    return await new Promise((resolve, reject) => {
      let reader: StreamReader | undefined
      let begun = Buffer.alloc(0)
      response.on('error', reject)
      response.on('close', () => reader?.end())
      response.on('data', (chunk: Buffer) => {
        if (reader !== undefined) return reader.take(chunk)
        begun = Buffer.concat([begun, chunk])
        const at = begun.indexOf(END)
        if (at < 0) return
        reader = new StreamReader(response, begun.toString('utf8', 0, at), options)
        reader.take(begun.subarray(at + END.length))
        resolve(reader)
      })
    })
  }

  /** Of every event so far, byte for byte, with those of the one before it. */
  get digest(): string {
    return this.#hash.copy().digest('hex')
  }

  /** From here on what is sent to it stays where it is. */
  pause(): void {
    this.#response.pause()
  }

  resume(): void {
    this.#response.resume()
  }

  async has(lastId: number): Promise<void> {
    await this.#until(() => this.lastId >= lastId)
  }

  async over(): Promise<void> {
    await this.#until(() => this.#isOver)
  }

  take(chunk: Buffer): void {
    this.bytes += chunk.length
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let from = 0
    for (let at = this.#rest.indexOf(END); at >= 0; at = this.#rest.indexOf(END, from)) {
      this.#frame(this.#rest.subarray(from, at))
      from = at + END.length
    }
    this.#rest = this.#rest.subarray(from)
    this.#wake()
  }

  end(): void {
    this.#isOver = true
    this.#wake()
  }

  /** A heartbeat has no id: it is no event of the server's. */
  #frame(frame: Buffer): void {
    if (frame[0] === ':'.charCodeAt(0)) this.comments.push(frame.toString())
    if (frame[0] !== 'i'.charCodeAt(0)) return
    const id = Number(frame.toString('latin1', 'id: '.length, frame.indexOf('\n')))
    if (id !== this.lastId + 1) this.jumps++
    this.lastId = id
    this.#hash.update(frame)
    this.#onEvent?.(JSON.parse(FRAME.exec(frame.toString())?.[2] ?? ''))
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#isOver) throw new Error(`The stream ended at ${this.lastId}: ${this.comments.at(-1)}`)
      await new Promise<void>(resolve => this.#waiting.add(resolve))
    }
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}
