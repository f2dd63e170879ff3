// Serves an editor as an ACP agent over stdio. Everything is passed through to one agent and journalled, so
// the editor gets restore too.
import type { Readable, Writable } from 'node:stream'
import {
  agent,
  type AgentConnection as EditorConnection,
  type InitializeRequest,
  RequestError,
} from '@agentclientprotocol/sdk'
import { RethreadError } from '../../model/errors.ts'
import type { AgentRequest, ClientSide } from '../client/index.ts'
import { withSessionId } from '../connection/message-bytes.ts'
import { Conversations, type ConversationsOptions } from '../conversations.ts'
import { asFields } from '../envelope.ts'
import type { JournalEvent } from '../store/store.ts'
import { EditorWire } from './editor-wire.ts'
import { restoredFacts, restoredLine } from './history.ts'
import { type EditorContext, idOf, methods } from './methods.ts'
import { isAgentNotification, OpenedSessions } from './opened-sessions.ts'
import { showPreparing } from './show-preparing.ts'

export interface EditorOptions extends Omit<ConversationsOptions, 'agent' | 'clientSide' | 'initialize'> {
  agentName: string
  agent: ConversationsOptions['agent']
  cwd: string
  input: Readable
  output: Writable
  /** How long an agent may take to start before the editor shows it. */
  showAfterMs?: number
}

/** Runs until the editor closes its side. All started agents have exited then. */
export async function serveEditor(options: EditorOptions): Promise<void> {
  const { agentName, cwd, input, output, showAfterMs: afterMs } = options
  const wire = new EditorWire(input, output)
  const opened = new OpenedSessions(wire)
  let initialize: InitializeRequest = { protocolVersion: 1 }
  const clientSide = new EditorClientSide(() => side)
  const conversations = new Conversations({ ...options, clientSide, initialize: () => initialize })
  const editor: EditorContext = {
    agent: agentName,
    conversations,
    wire,
    opened,
    connect: () => conversations.connect(agentName, cwd),
  }
  conversations.on(event => publish(editor, event, initialize))
  const known = new Set<unknown>()
  const isKnown = known.has.bind(known)
  const stopShowing = showPreparing({ steps: conversations.preparing, wire, isKnown, afterMs })
  const side = agent({ name: 'rethread' })
    .onRequest('*', async ({ method, params, signal }) => {
      if (method === 'initialize') initialize = params as InitializeRequest
      known.add(asFields(params)['sessionId'])
      return await answered(async () => await answer(editor, method, paramsOf(params), signal))
    })
    .onNotification('*', async ({ method, params }) => await forwardToAgent(editor, method, paramsOf(params)))
    .connect(wire.stream)
  await conversations.settle()
  await wire.ended
  stopShowing()
  await conversations.stop()
  side.close()
}

/** Called by the journal, so that an editor never sees what is not on disk. */
function publish(editor: EditorContext, event: JournalEvent, initialize: InitializeRequest): Promise<void> | undefined {
  const { opened, wire } = editor
  const restored = restoredFacts(event)
  if (restored !== undefined && opened.has(event.sessionId))
    return wire.write(restoredLine(event.sessionId, restored, initialize))
  // A notification about the whole connection, such as one of an extension.
  if (event.sessionId === event.connectionId && isAgentNotification(event)) return wire.write(event.payload)
  return opened.sendToEditor(event)
}

async function answer(editor: EditorContext, method: string, params: object, signal: AbortSignal): Promise<unknown> {
  const own = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (own !== undefined) return await own(editor, { method, params, signal })
  const { sessionId } = asFields(params)
  if (typeof sessionId === 'string') return await editor.conversations.request(sessionId, method, params, { signal })
  return await (await editor.connect()).request(method, params, { signal })
}

async function forwardToAgent(editor: EditorContext, method: string, params: object): Promise<void> {
  const { conversations } = editor
  if (method === 'session/cancel') return await conversations.cancel(idOf(params))
  // The SDK has already cancelled the request it names.
  if (method === '$/cancel_request') return
  const { sessionId } = asFields(params)
  if (typeof sessionId === 'string') return await conversations.notify(sessionId, method, params)
  await (await editor.connect()).notify(method, params)
}

/** Errors as ACP defines them. Agent errors pass unchanged; rethread's errors include the hint. */
async function answered(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    if (error.cause instanceof RequestError) throw error.cause
    const code = error.code === 'session-not-found' ? NOT_FOUND : INTERNAL
    throw new RequestError(code, `${error.message} ${error.hint}`, { code: error.code, path: error.path })
  }
}

const NOT_FOUND = -32_002
const INTERNAL = -32_603

function paramsOf(params: unknown): object {
  return typeof params === 'object' && params !== null ? params : {}
}

/** Passes the agent's requests to the editor: files, terminals, permissions. */
class EditorClientSide implements ClientSide {
  readonly capabilities = {}
  readonly #editor: () => EditorConnection

  constructor(editor: () => EditorConnection) {
    this.#editor = editor
  }

  async handle({ sessionId, method, params, signal }: AgentRequest): Promise<unknown> {
    const named = asFields(params)['sessionId'] === undefined ? params : withSessionId(params, sessionId)
    return await this.#editor().client.request(method, named, { cancellationSignal: signal })
  }

  /** An editor answers open requests itself when it cancels. */
  cancel(): void {}

  async release(): Promise<void> {}

  async close(): Promise<void> {}
}
