// One turn: what a prompt may do towards the client, and what of it the session remembers.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type {
  AgentContext,
  ClientCapabilities,
  ContentBlock,
  SessionUpdate,
  ToolCall,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable'
import { methods } from '@agentclientprotocol/sdk/unstable'
import type { ChosenFaults } from './chosen-faults.ts'
import type { Asked } from './prompt-text.ts'
import type { Session } from './session.ts'

/** How long a busy agent is seen to be busy. */
const THINKING_MS = 120

type Said = 'agent_message_chunk' | 'agent_thought_chunk'

interface OpenMessage {
  kind: Said
  messageId: string
  blocks: ContentBlock[]
}

export interface TurnOptions {
  session: Session
  asked: Asked
  client: AgentContext
  capabilities: ClientCapabilities
  faults: ChosenFaults
  signal: AbortSignal
}

export class Turn {
  readonly session: Session
  readonly asked: Asked
  readonly client: AgentContext
  readonly capabilities: ClientCapabilities
  readonly signal: AbortSignal
  readonly #faults: ChosenFaults
  #open: OpenMessage | undefined
  #chunks = 0

  constructor({ session, asked, client, capabilities, faults, signal }: TurnOptions) {
    this.session = session
    this.asked = asked
    this.client = client
    this.capabilities = capabilities
    this.signal = signal
    this.#faults = faults
  }

  /** The person's message is complete when it arrives; what was put in front of it is kept as part of it, as an agent does that cannot tell. */
  begin(): void {
    const messageId = randomUUID()
    this.session.add(
      'user',
      this.asked.blocks.map(content => ({ sessionUpdate: 'user_message_chunk', messageId, content })),
    )
  }

  async pause(milliseconds = THINKING_MS): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.signal })
  }

  async say(text: string): Promise<void> {
    await this.show({ type: 'text', text })
  }

  async show(content: ContentBlock): Promise<void> {
    await this.#chunk('agent_message_chunk', content)
  }

  async think(text: string): Promise<void> {
    await this.#chunk('agent_thought_chunk', { type: 'text', text })
  }

  /** Sent, and not remembered. */
  async send(update: SessionUpdate): Promise<void> {
    this.signal.throwIfAborted()
    await this.client.notify(methods.client.session.update, { sessionId: this.session.id, update })
  }

  /** Sent and remembered, where it is whole by itself. */
  async tell(update: SessionUpdate): Promise<void> {
    this.complete()
    await this.send(update)
    this.session.add(null, [update])
  }

  /** A tool that runs: remembered when it has ended, together with how. */
  async useTool(call: ToolCall, run: () => Promise<Omit<ToolCallUpdate, 'toolCallId'>>): Promise<void> {
    this.complete()
    const started = { sessionUpdate: 'tool_call', status: 'in_progress', ...call } as const
    await this.send(started)
    const ended = { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, ...(await run()) } as const
    await this.send(ended)
    this.session.add(null, [started, ended])
  }

  /** The message that is being said is whole: nothing more is added to it. */
  complete(): void {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return
    const { kind, messageId, blocks } = open
    const role = kind === 'agent_message_chunk' ? 'assistant' : null
    this.session.add(
      role,
      blocks.map(content => ({ sessionUpdate: kind, messageId, content })),
    )
  }

  async #chunk(kind: Said, content: ContentBlock): Promise<void> {
    if (this.#open?.kind !== kind) this.complete()
    this.#open ??= { kind, messageId: randomUUID(), blocks: [] }
    const { messageId, blocks } = this.#open
    this.signal.throwIfAborted()
    addBlock(blocks, content)
    await this.send({ sessionUpdate: kind, messageId, content })
    this.#faults.chunk(++this.#chunks)
  }
}

/** A load tells a message in as few chunks as it can. */
function addBlock(blocks: ContentBlock[], content: ContentBlock): void {
  const last = blocks.at(-1)
  if (last?.type === 'text' && content.type === 'text')
    blocks[blocks.length - 1] = { ...last, text: last.text + content.text }
  else blocks.push(content)
}
