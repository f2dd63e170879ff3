// The mock agent with nothing in between: the protocol's own client, over the same kind of pipe.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { type ClientContext, client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable'
import { mockAgentCommand } from '../../src/mock-agent/command.ts'

export class DirectAgent {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #agent: ClientContext
  #sessionId = ''
  #firstAt: number | undefined

  private constructor(store: string) {
    const { command, args } = mockAgentCommand()
    this.#child = spawn(command, [...args, '--store', store])
    const app = client({ name: 'bench' }).onNotification(methods.client.session.update, () => {
      this.#firstAt ??= performance.now()
    })
    const output = Writable.toWeb(this.#child.stdin) as WritableStream<Uint8Array>
    const input = Readable.toWeb(this.#child.stdout) as ReadableStream<Uint8Array>
    this.#agent = app.connect(ndJsonStream(output, input)).agent
  }

  static async start(store: string): Promise<DirectAgent> {
    const direct = new DirectAgent(store)
    await direct.#agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    })
    const { sessionId } = await direct.#agent.request(methods.agent.session.new, { cwd: '/', mcpServers: [] })
    direct.#sessionId = sessionId
    return direct
  }

  /** Milliseconds to the first piece of the answer, and to its end. */
  async prompt(text: string): Promise<{ answer: number; end: number }> {
    this.#firstAt = undefined
    const begun = performance.now()
    const prompt = [{ type: 'text' as const, text }]
    await this.#agent.request(methods.agent.session.prompt, { sessionId: this.#sessionId, prompt })
    const end = performance.now() - begun
    if (this.#firstAt === undefined) throw new Error('The agent said nothing.')
    return { answer: this.#firstAt - begun, end }
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'close')
    this.#child.stdin.end()
    await ended
  }
}
