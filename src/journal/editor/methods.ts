// The methods that rethread handles for an editor. All others are passed to the agent.
import { RequestError } from '@agentclientprotocol/sdk'
import { isLeftOver } from '../begin.ts'
import type { AgentConnection } from '../connection/connection.ts'
import { withSessionId } from '../connection/message-bytes.ts'
import type { Conversations } from '../conversations.ts'
import { asFields } from '../envelope.ts'
import type { EditorWire } from './editor-wire.ts'
import { sendHistory } from './history.ts'
import { listForEditor } from './list-sessions.ts'
import type { OpenedSessions } from './opened-sessions.ts'

export interface EditorContext {
  /** The agent that all requests are passed to. */
  agent: string
  conversations: Conversations
  wire: EditorWire
  opened: OpenedSessions
  connect(): Promise<AgentConnection>
}

export interface EditorRequest {
  method: string
  params: object
  signal: AbortSignal
}

type Method = (editor: EditorContext, request: EditorRequest) => Promise<unknown>

export const methods: Readonly<Record<string, Method>> = {
  initialize,
  'session/new': begin,
  'session/load': load,
  'session/resume': resume,
  'session/list': list,
  'session/fork': fork,
  'session/prompt': prompt,
  'session/close': close,
  'session/delete': remove,
}

/** The agent's capabilities, with those that rethread adds. */
async function initialize(editor: EditorContext): Promise<unknown> {
  const { answer } = (await editor.connect()).capabilities
  const theirs = asFields(answer['agentCapabilities'])
  const session = { list: {}, resume: {}, close: {}, delete: {}, ...asFields(theirs['sessionCapabilities']) }
  return {
    ...answer,
    agentCapabilities: { ...theirs, loadSession: true, sessionCapabilities: { ...session, fork: {} } },
  }
}

async function begin({ conversations, agent, opened }: EditorContext, { params }: EditorRequest): Promise<unknown> {
  const cwd = folderOf(params)
  const { session, answer } = await conversations.create({ agent, cwd, init: params })
  // Updates from before the answer could not be shown: the editor did not know the id yet.
  opened.add(session.id, STARTED_EVENTS)
  await passSince(conversations, opened, session.id)
  return withSessionId(answer, session.id)
}

/** The request and its answer. */
const STARTED_EVENTS = 2

async function passSince({ store }: Conversations, opened: OpenedSessions, id: string): Promise<void> {
  const { events } = await store.page(id, { after: STARTED_EVENTS, limit: 100 })
  for (const event of events) await opened.sendToEditor(event)
}

async function load(editor: EditorContext, request: EditorRequest): Promise<unknown> {
  const { conversations, opened, wire } = editor
  const id = idOf(request.params)
  if (!(await isKnown(editor, id))) return await takeOver(editor, request)
  const { answer } = await conversations.ensure(id)
  opened.hold(id)
  const lastSeq = await sendHistory(conversations.store, wire, id)
  await opened.release(id, lastSeq)
  return answerOf(answer)
}

async function resume(editor: EditorContext, request: EditorRequest): Promise<unknown> {
  const { conversations, opened } = editor
  const id = idOf(request.params)
  if (!(await isKnown(editor, id))) return await takeOver(editor, request)
  const { answer } = await conversations.ensure(id)
  opened.add(id, await conversations.store.count(id))
  return answerOf(answer)
}

/** The trace of an attempt that failed is not a conversation. */
async function isKnown({ conversations: { store } }: EditorContext, id: string): Promise<boolean> {
  const session = await store.getSession(id)
  return session !== undefined && !(await isLeftOver(store, session))
}

/** Takes over a session that the agent has and the journal does not. */
async function takeOver(editor: EditorContext, { method, params }: EditorRequest): Promise<unknown> {
  const { conversations, agent, opened } = editor
  const id = idOf(params)
  const { capabilities } = await editor.connect()
  if (!capabilities.has(method === 'session/load' ? 'load' : 'resume')) throw notInJournal(id)
  opened.add(id, 0)
  try {
    const { answer } = await conversations.takeOver(agent, id, method, params)
    return answerOf(answer)
  } catch (error) {
    opened.remove(id)
    throw error
  }
}

async function list(editor: EditorContext, { params }: EditorRequest): Promise<unknown> {
  const { agent, conversations } = editor
  return await listForEditor({ store: conversations.store, connection: await editor.connect(), agent, params })
}

async function fork({ conversations, opened }: EditorContext, { params }: EditorRequest): Promise<unknown> {
  const child = await conversations.fork(idOf(params))
  const { answer } = await conversations.ensure(child.id)
  opened.add(child.id, await conversations.store.count(child.id))
  return { ...answerOf(answer), sessionId: child.id }
}

async function prompt({ conversations }: EditorContext, { params, signal }: EditorRequest): Promise<unknown> {
  const { answer } = await conversations.prompt(idOf(params), params, { signal })
  return answer
}

async function close({ conversations, opened }: EditorContext, { params }: EditorRequest): Promise<unknown> {
  const id = idOf(params)
  await conversations.close(id)
  opened.remove(id)
  return {}
}

/** Deletes the session for the editor, and in the agent where supported. The journal keeps the messages. */
async function remove({ conversations, opened }: EditorContext, { params }: EditorRequest): Promise<unknown> {
  const id = idOf(params)
  const { connection, binding } = await conversations.ensure(id)
  if (connection.capabilities.has('delete'))
    await connection.request('session/delete', { sessionId: binding.agentSessionId }, { sessionId: id })
  await conversations.destroy(id)
  opened.remove(id)
  return {}
}

export function idOf(params: unknown): string {
  const id = asFields(params)['sessionId']
  if (typeof id !== 'string') throw RequestError.invalidParams(undefined, 'sessionId is missing')
  return id
}

function folderOf(params: unknown): string {
  const { cwd } = asFields(params)
  if (typeof cwd !== 'string') throw RequestError.invalidParams(undefined, 'cwd is missing')
  return cwd
}

/** Removes the agent's own session id: the editor knows rethread's id. */
function answerOf(answer: unknown): object {
  const { sessionId: _, ...rest } = asFields(answer)
  return rest
}

function notInJournal(id: string): RequestError {
  const text = `There is no session ${id} in the journal, and the agent cannot load sessions itself. If the journal file was removed, what was in it cannot be restored.`
  return new RequestError(RequestError.sessionNotFound(id).code, text, { sessionId: id })
}
