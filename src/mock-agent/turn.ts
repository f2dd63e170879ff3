// One turn: the text of the prompt, the updates sent to the client, and the entries added to the session.
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
import type { Session } from './sessions.ts'
import { isReplay } from './sessions.ts'

/** The pause before an answer. */
const THINKING_MS = 120

type ChunkKind = 'agent_message_chunk' | 'agent_thought_chunk'

interface OpenMessage {
  kind: ChunkKind
  messageId: string
  blocks: ContentBlock[]
}

export interface Asked {
  /** The blocks of the prompt, unchanged. */
  blocks: ContentBlock[]
  /** The first text block without replays. It decides what the agent does. */
  first: string
  /** All text blocks without replays. */
  text: string
  /** The first word in lower case. */
  word: string
  /** The text after the first word. */
  rest: string
}

export function readAsked(blocks: ContentBlock[]): Asked {
  const texts = blocks.flatMap(block => (block.type === 'text' && !isReplay(block) ? [block.text] : []))
  const first = texts[0] ?? ''
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(first) ?? []
  return { blocks, first, text: texts.join('\n'), word: word.toLowerCase(), rest }
}

interface TurnOptions {
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

  /**
   * Stores the user's message. A replay in front of it is stored too, as
   * by an agent that does not know about replays.
   */
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

  /** Sends an update without storing it. */
  async send(update: SessionUpdate): Promise<void> {
    this.signal.throwIfAborted()
    await this.client.notify(methods.client.session.update, { sessionId: this.session.id, update })
  }

  /** Sends an update that is complete on its own, and stores it. */
  async publish(update: SessionUpdate): Promise<void> {
    this.complete()
    await this.send(update)
    this.session.add(null, [update])
  }

  /** Reports a tool call. It is stored when it has ended. */
  async useTool(call: ToolCall, run: () => Promise<Omit<ToolCallUpdate, 'toolCallId'>>): Promise<void> {
    this.complete()
    const started = { sessionUpdate: 'tool_call', status: 'in_progress', ...call } as const
    await this.send(started)
    const ended = { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, ...(await run()) } as const
    await this.send(ended)
    this.session.add(null, [started, ended])
  }

  /** Ends and stores the message that is being sent. */
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

  async #chunk(kind: ChunkKind, content: ContentBlock): Promise<void> {
    if (this.#open?.kind !== kind) this.complete()
    this.#open ??= { kind, messageId: randomUUID(), blocks: [] }
    const { messageId, blocks } = this.#open
    this.signal.throwIfAborted()
    addBlock(blocks, content)
    await this.send({ sessionUpdate: kind, messageId, content })
    this.#faults.chunk(++this.#chunks)
  }
}

/** Joins adjacent texts, so that a load sends as few chunks as possible. */
function addBlock(blocks: ContentBlock[], content: ContentBlock): void {
  const last = blocks.at(-1)
  if (last?.type === 'text' && content.type === 'text')
    blocks[blocks.length - 1] = { ...last, text: last.text + content.text }
  else blocks.push(content)
}
