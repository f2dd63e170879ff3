// The stream to and from an editor. Messages keep their original bytes, and output keeps its order.
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { isObject } from '../../bytes/json.ts'
import { LineCollector } from '../../bytes/line-collector.ts'
import { wellFormedBytes } from '../../bytes/well-formed.ts'
import { MAX_AGENT_LINE_BYTES } from '../connection/limits.ts'
import { encodeMessage, rememberLine } from '../connection/message-bytes.ts'

/** The JSON-RPC error for a line that is not JSON. */
const PARSE_ERROR = { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } } as const

export class EditorWire {
  readonly stream: Stream
  /** Resolves when the editor has closed its side. */
  readonly ended: Promise<void>
  readonly #output: Writable
  #isBroken = false

  constructor(input: Readable, output: Writable) {
    this.#output = output
    // The editor no longer reads. It also closes its input, which ends the session.
    output.on('error', () => {
      this.#isBroken = true
    })
    let incoming: ReadableStreamDefaultController<AnyMessage> | undefined
    const readable = new ReadableStream<AnyMessage>({
      start: controller => {
        incoming = controller
      },
    })
    const writable = new WritableStream<AnyMessage>({
      write: async message => await this.write(encodeMessage(message)),
    })
    this.stream = { readable, writable }
    this.ended = this.#read(input, message => incoming?.enqueue(message)).finally(() => incoming?.close())
  }

  /** Undefined where there is room for more, otherwise a promise that resolves then. */
  write(line: Buffer): Promise<void> | undefined {
    if (this.#isBroken || this.#output.write(Buffer.concat([line, Buffer.from('\n')]))) return undefined
    return Promise.race([once(this.#output, 'drain'), once(this.#output, 'close')]).then(
      () => undefined,
      () => undefined,
    )
  }

  async #read(input: Readable, pass: (message: AnyMessage) => void): Promise<void> {
    const lines = new LineCollector(MAX_AGENT_LINE_BYTES)
    const take = (found: ReturnType<LineCollector['push']>): void => {
      for (const { bytes, length, isTooLong } of found) {
        const message = isTooLong ? undefined : parse(bytes)
        if (message !== undefined) pass(message)
        else if (length > 0) void this.write(encodeMessage(PARSE_ERROR))
      }
    }
    for await (const chunk of input) take(lines.push(Buffer.from(chunk)))
    const rest = lines.flush()
    if (rest !== undefined) take([rest])
  }
}

/** The protocol checks the content. Only an incomplete character is replaced. */
function parse(line: Buffer): AnyMessage | undefined {
  try {
    const bytes = wellFormedBytes(line)
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (!isObject(value)) return undefined
    rememberLine(value, Buffer.from(bytes))
    return value as AnyMessage
  } catch {
    return undefined
  }
}
