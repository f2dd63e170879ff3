// The real mock agent as a process of its own, with a client that keeps what it receives.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type {
  ClientApp,
  ClientCapabilities,
  ClientContext,
  ContentBlock,
  InitializeResponse,
  SessionNotification,
  SessionUpdate,
} from '@agentclientprotocol/sdk/unstable'
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable'
import { expect, onTestFinished } from 'vitest'
import { findSchemaFault } from './acp-schema.ts'
import { mockAgentCommand } from './package.ts'

export interface MockAgentOptions {
  args?: string[]
  env?: Record<string, string>
  capabilities?: ClientCapabilities
  /** Adds what the client answers to requests of the agent. */
  answers?(app: ClientApp): void
  /** For one that outlives the test; the test that asks for it stops it. */
  isShared?: boolean
}

/** Every session/update in the order in which it came. */
export class MockAgentProcess {
  readonly child: ChildProcessWithoutNullStreams
  readonly agent: ClientContext
  readonly notified: SessionNotification[] = []
  readonly #capabilities: ClientCapabilities
  readonly #output: Buffer[] = []
  /** The methods of our requests, by their ids. */
  readonly #asked = new Map<unknown, string>()
  #errors = ''
  readonly #exit: Promise<unknown[]>

  constructor({ args = [], env = {}, capabilities = {}, answers }: MockAgentOptions) {
    const { command, args: program } = mockAgentCommand()
    const child = spawn(command, [...program, ...args], { env: { ...process.env, ...env } })
    this.child = child
    this.#capabilities = capabilities
    this.#exit = once(child, 'close')
    child.stderr.on('data', (bytes: Buffer) => {
      this.#errors += bytes.toString()
    })
    // A process that has died is seen by its exit.
    child.stdin.on('error', () => {})
    const app = client({ name: 'test' }).onNotification(methods.client.session.update, ({ params }) => {
      this.notified.push(params)
    })
    answers?.(app)
    const output = new WritableStream<Uint8Array>({ write: line => this.#send(line) })
    this.agent = app.connect(ndJsonStream(output, ReadableStream.from(this.#keep(child.stdout)))).agent
  }

  /** What it wrote, as it wrote it. */
  get lines(): string[] {
    return Buffer.concat(this.#output).toString().split('\n').slice(0, -1)
  }

  /** What of it is not as the schema of the protocol says. */
  get schemaFaults(): string[] {
    return this.lines.flatMap(line => findSchemaFault(line, this.#asked) ?? [])
  }

  get errors(): string {
    return this.#errors
  }

  async initialize(): Promise<InitializeResponse> {
    const asked = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: this.#capabilities }
    return await this.agent.request(methods.agent.initialize, asked)
  }

  async newSession(cwd = '/project'): Promise<string> {
    return (await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId
  }

  /** The stop reason, and what was reported meanwhile. */
  async prompt(sessionId: string, ...blocks: (string | ContentBlock)[]) {
    const from = this.notified.length
    const prompt: ContentBlock[] = blocks.map(block =>
      typeof block === 'string' ? { type: 'text', text: block } : block,
    )
    const { stopReason } = await this.agent.request(methods.agent.session.prompt, { sessionId, prompt })
    return { stopReason, updates: this.updatesOf(sessionId, from) }
  }

  updatesOf(sessionId: string, from = 0): SessionUpdate[] {
    return this.notified
      .slice(from)
      .filter(notified => notified.sessionId === sessionId)
      .map(({ update }) => update)
  }

  /** Waits until so many updates have come. */
  async hasSent(count: number): Promise<void> {
    await expect.poll(() => this.notified.length, { interval: 2 }).toBeGreaterThanOrEqual(count)
  }

  async exit(): Promise<{ code: number | null; signal: string | null }> {
    await this.#exit
    return { code: this.child.exitCode, signal: this.child.signalCode }
  }

  /** As a client does that is done with it. */
  async stop(): Promise<void> {
    this.child.stdin.end()
    await this.#exit
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.#exit
  }

  #send(line: Uint8Array): void {
    const { id, method } = JSON.parse(Buffer.from(line).toString())
    if (id !== undefined && method !== undefined) this.#asked.set(id, method)
    this.child.stdin.write(line)
  }

  async *#keep(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of chunks) {
      this.#output.push(chunk)
      yield chunk
    }
  }
}

export function spawnMockAgent(options: MockAgentOptions = {}): MockAgentProcess {
  const mock = new MockAgentProcess(options)
  if (options.isShared !== true) onTestFinished(() => mock.stop())
  return mock
}

/** One that has said who it is. */
export async function startMockAgent(options: MockAgentOptions = {}): Promise<MockAgentProcess> {
  const mock = spawnMockAgent(options)
  await mock.initialize()
  return mock
}

/** The text of all chunks of one kind. */
export function textOf(
  updates: readonly SessionUpdate[],
  kind: SessionUpdate['sessionUpdate'] = 'agent_message_chunk',
) {
  return updates
    .map(update => {
      if (update.sessionUpdate !== kind || !('content' in update)) return ''
      const { content } = update
      return content !== null && content !== undefined && 'type' in content && content.type === 'text'
        ? content.text
        : ''
    })
    .join('')
}
