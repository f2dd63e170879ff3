// The sessions of the mock agent. An entry is a whole message or tool call, stored as the updates that a load
// sends again. With a store, each entry is written to disk as soon as it is complete.
import { randomUUID } from 'node:crypto'
import type {
  ContentBlock,
  ListSessionsResponse,
  SessionInfo,
  SessionModeState,
  SessionUpdate,
} from '@agentclientprotocol/sdk/unstable'
import { RequestError } from '@agentclientprotocol/sdk/unstable'
import { z } from 'zod'
import { splitLines } from '../bytes/lines.ts'
import type { MockStore } from '../disk/state/mock-store.ts'

const update = z.custom<SessionUpdate>(value => z.object({ sessionUpdate: z.string() }).safeParse(value).success)

const entry = z.object({
  type: z.literal('entry'),
  /** The author of a message; null for a tool call, a plan or a title. */
  role: z.enum(['user', 'assistant']).nullable(),
  updates: z.array(update),
})
const header = z.object({ type: z.literal('session'), id: z.string(), cwd: z.string() })
const record = z.discriminatedUnion('type', [header, entry])

type Entry = z.infer<typeof entry>
type Header = z.infer<typeof header>

interface StoredSession {
  cwd: string
  entries: Entry[]
  /** The number of lines that are not records. */
  skipped: number
}

function readRecords(bytes: Buffer): StoredSession {
  const stored: StoredSession = { cwd: '/', entries: [], skipped: 0 }
  for (const line of splitLines([bytes])) {
    const found = parseRecord(line.bytes)
    if (found === undefined) stored.skipped++
    else if (found.type === 'session') stored.cwd = found.cwd
    else stored.entries.push(found)
  }
  return stored
}

function parseRecord(bytes: Buffer): Entry | Header | undefined {
  try {
    return record.safeParse(JSON.parse(bytes.toString())).data
  } catch {
    return undefined
  }
}

const REPLAY_META = 'rethread/replay'
const REPLAY_TEXT = '[rethread replay]'

/** A block that the client put in front of a prompt to give the agent the earlier messages. */
export function isReplay(block: ContentBlock): boolean {
  if (block._meta?.[REPLAY_META] !== undefined) return true
  return block.type === 'text' && block.text.startsWith(REPLAY_TEXT)
}

const MODES = [
  { id: 'ask', name: 'Ask' },
  { id: 'code', name: 'Code' },
]
const FIRST_MODE = 'ask'

/** One session in memory. */
export class Session {
  readonly id: string
  readonly cwd: string
  /** Opened by load or resume, and without a prompt since then. */
  isFreshlyOpened = false
  /** Cancels the running turn. */
  cancel: (() => void) | undefined
  #entries: Entry[] = []
  readonly #store: MockStore | undefined
  #isOnDisk = false

  constructor(id: string, cwd: string, store: MockStore | undefined) {
    this.id = id
    this.cwd = cwd
    this.#store = store
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  get messageCount(): number {
    return this.#entries.filter(({ role }) => role !== null).length
  }

  get replayCount(): number {
    return this.#updates('user_message_chunk').filter(({ content }) => isReplay(content)).length
  }

  get title(): string | null {
    return this.#updates('session_info_update').at(-1)?.title ?? null
  }

  get modes(): SessionModeState {
    const currentModeId = this.#updates('current_mode_update').at(-1)?.currentModeId ?? FIRST_MODE
    return { currentModeId, availableModes: MODES }
  }

  /** Writes the header line, unless the file already has it. */
  save(): void {
    if (this.#isOnDisk) return
    this.#store?.append(this.id, { type: 'session', id: this.id, cwd: this.cwd })
    this.#isOnDisk = true
  }

  add(role: Entry['role'], updates: SessionUpdate[]): void {
    const entry: Entry = { type: 'entry', role, updates }
    this.#entries.push(entry)
    this.save()
    this.#store?.append(this.id, entry)
  }

  /** Takes over entries from the store without writing them again. */
  remember(entries: readonly Entry[]): void {
    this.#entries = [...entries]
    this.#isOnDisk = true
  }

  /** Empties the memory. The file stays unchanged. */
  forget(): void {
    this.#entries = []
  }

  erase(): void {
    this.forget()
    this.#store?.remove(this.id)
    this.#isOnDisk = false
  }

  #updates<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.#entries
      .flatMap(({ updates }) => updates)
      .filter((update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind)
  }
}

const PAGE_SESSIONS = 50

/** The sessions that this process has open, and those in its store. */
export class Sessions {
  readonly #open = new Map<string, Session>()
  readonly #store: MockStore | undefined

  constructor(store: MockStore | undefined) {
    this.#store = store
  }

  create(cwd: string): Session {
    const session = new Session(`mock-${randomUUID()}`, cwd, this.#store)
    session.save()
    this.#open.set(session.id, session)
    return session
  }

  /** Returns a session that this process created or opened. */
  find(id: string): Session {
    const session = this.#open.get(id)
    if (session === undefined) throw RequestError.sessionNotFound(id)
    return session
  }

  /** Reads the session from the store again, even if it is already open. */
  open(id: string, cwd: string): Session {
    const stored = this.#read(id)
    this.close(id)
    const session = new Session(id, cwd, this.#store)
    session.remember(stored.entries)
    session.isFreshlyOpened = true
    this.#open.set(id, session)
    return session
  }

  fork(id: string, cwd: string): Session {
    const { entries } = this.#open.get(id) ?? this.#read(id)
    const session = this.create(cwd)
    for (const { role, updates } of entries) session.add(role, updates)
    return session
  }

  close(id: string): void {
    this.#open.get(id)?.cancel?.()
    this.#open.delete(id)
  }

  remove(id: string): void {
    this.close(id)
    this.#store?.remove(id)
  }

  list(cwd: string | null | undefined, cursor: string | null | undefined): ListSessionsResponse {
    const all = (this.#store?.list() ?? [])
      .map(({ id, modified }) => this.#describe(id, modified))
      .filter(session => cwd === undefined || cwd === null || session.cwd === cwd)
    const from = Number(cursor ?? 0)
    const end = from + PAGE_SESSIONS
    return { sessions: all.slice(from, end), ...(end < all.length ? { nextCursor: String(end) } : {}) }
  }

  #describe(id: string, modified: Date): SessionInfo {
    const { cwd, entries } = this.#read(id)
    const session = new Session(id, cwd, undefined)
    session.remember(entries)
    return { sessionId: id, cwd, title: session.title, updatedAt: modified.toISOString() }
  }

  #read(id: string): StoredSession {
    const bytes = this.#store?.read(id)
    if (bytes === undefined) throw RequestError.sessionNotFound(id)
    const stored = readRecords(bytes)
    if (stored.skipped > 0) process.stderr.write(`mock agent: ${stored.skipped} unreadable lines in ${id}\n`)
    return stored
  }
}
