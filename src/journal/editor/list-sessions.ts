// session/list for any agent: first the sessions of the journal, then those that only the agent has.
import { resolve } from 'node:path'
import { isLeftOver } from '../begin.ts'
import type { AgentConnection } from '../connection/connection.ts'
import { asFields } from '../envelope.ts'
import { promptParams } from '../store/notes.ts'
import type { JournalSession, JournalStore } from '../store/store.ts'

const PAGE = 50
/** The first prompt is near the beginning, after the events that started the session. */
const BEGINNING = 20
const MAX_TITLE = 100
const SAID: readonly string[] = ['session/prompt', '_rethread/prompt_taken', 'session/update:user_message_chunk']

export interface ListRequest {
  store: JournalStore
  connection: AgentConnection
  agent: string
  params: unknown
}

interface Listed {
  sessions: unknown[]
  nextCursor?: string
}

/** The cursor names the next page: `journal:NUMBER`, or `agent:` with the agent's own cursor. */
export async function listForEditor(request: ListRequest): Promise<Listed> {
  const { cursor } = asFields(request.params)
  if (typeof cursor === 'string' && cursor.startsWith('agent:'))
    return await listOfAgent(request, cursor.slice('agent:'.length))
  const before = typeof cursor === 'string' ? Number(cursor.replace('journal:', '')) : undefined
  return await listOfJournal(request, before)
}

async function listOfJournal(request: ListRequest, before: number | undefined): Promise<Listed> {
  const { store, connection, agent, params } = request
  const page = await store.listSessions({ limit: PAGE, ...(before === undefined ? {} : { before }) })
  const cwd = asFields(params)['cwd']
  const wanted = page.sessions.filter(
    session =>
      session.agent === agent &&
      session.destroyedAt === undefined &&
      (typeof cwd !== 'string' || resolve(session.cwd) === resolve(cwd)),
  )
  const described = await Promise.all(wanted.map(async session => await describe(store, session)))
  const sessions = described.filter(session => session !== undefined)
  if (page.before !== undefined) return { sessions, nextCursor: `journal:${page.before}` }
  return connection.capabilities.has('list') ? { sessions, nextCursor: 'agent:' } : { sessions }
}

async function listOfAgent({ store, connection, agent, params }: ListRequest, cursor: string): Promise<Listed> {
  const own = { ...Object(params), cursor: cursor === '' ? undefined : cursor }
  const answer = asFields(await connection.request('session/list', own))
  const theirs: unknown[] = Array.isArray(answer['sessions']) ? answer['sessions'] : []
  const known = await idsInJournal(store, agent)
  const sessions = theirs.filter(session => !known.has(String(asFields(session)['sessionId'])))
  const next = answer['nextCursor']
  return typeof next === 'string' ? { sessions, nextCursor: `agent:${next}` } : { sessions }
}

/** Includes deleted conversations: the agent's copy must not bring one back. */
async function idsInJournal(store: JournalStore, agent: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let before: number | undefined; ; ) {
    const page = await store.listSessions({ limit: 1000, ...(before === undefined ? {} : { before }) })
    for (const session of page.sessions)
      if (session.agent === agent && !(await isLeftOver(store, session))) ids.add(session.agentSessionId)
    if (page.before === undefined) return ids
    before = page.before
  }
}

/** Undefined where the conversation has no prompt. */
async function describe(store: JournalStore, { id, cwd }: JournalSession): Promise<object | undefined> {
  const metadata = await store.getMetadata(id)
  const { events } = await store.page(id, { after: 0, limit: BEGINNING })
  const first = events.find(({ kind }) => SAID.includes(kind))
  if (first === undefined) return undefined
  const last = (await store.tail(id, 1)).events.at(-1) ?? first
  const title = typeof metadata?.['title'] === 'string' ? metadata['title'] : firstWords(first.envelope)
  return { sessionId: id, cwd, title, updatedAt: new Date(last.createdAt).toISOString() }
}

function firstWords(envelope: unknown): string | null {
  const { prompt, update } = asFields(promptParams(envelope))
  const blocks: unknown[] = Array.isArray(prompt) ? prompt : [asFields(update)['content']]
  const text = blocks
    .map(block => asFields(block)['text'])
    .find(found => typeof found === 'string' && found.trim() !== '')
  return typeof text === 'string' ? (text.trim().split('\n')[0] ?? '').slice(0, MAX_TITLE) : null
}
