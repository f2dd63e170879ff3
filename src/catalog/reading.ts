// Reads a session. Skipped places are logged, and for a locked database the last good reading is returned.
import type { Agent } from '../agents/agent.ts'
import { isIdSuspect, unusualId } from '../agents/session-ids.ts'
import { type ReadOptions, storeOf } from '../agents/store.ts'
import { placeIn } from '../archive/home-paths.ts'
import { toJson } from '../bytes/json.ts'
import type { LastGoodWriter } from '../disk/sqlite/last-good-reading.ts'
import { hasLastGood, readLastGoodLines, writeLastGood } from '../disk/sqlite/last-good-reading.ts'
import { roughDatabaseMark } from '../disk/sqlite/read-database.ts'
import { hasErrorCode, RethreadError } from '../model/errors.ts'
import type { Message } from '../model/message.ts'
import type { Reading, ReadingEnd, SessionFacts } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'
import { agentById } from './context.ts'
import { SUMMARIES } from './summaries-table.ts'

export async function* readSession(context: Context, ref: SessionRef, options: ReadOptions = {}): Reading {
  const session = ref.archived === undefined ? ref : await readableCopy(context, ref)
  const agent = agentById(context, session.agent)
  const busyMs = session.isFromMemory === true ? 0 : context.busyMs
  const wait = busyMs === undefined ? {} : { busyMs }
  const store = storeOf(agent, session)
  const direct = store.read(session, { ...wait, ...options })
  const reading =
    isKept(context, session) && options.branch === undefined ? withLastGood(context, session, direct) : direct
  try {
    // Step by step instead of `yield*`, which takes twice as long for each message.
    let step = await reading.next()
    if (ref.archived === undefined) for (; !step.done; step = await reading.next()) yield step.value
    // The places are those in the files of the agent, wherever the copy is.
    else
      for (; !step.done; step = await reading.next()) yield { ...step.value, at: placeIn(step.value.at, session, ref) }
    const end = await noteEnd(context, session, step.value)
    if (ref.archived === undefined) return end
    return { ...end, findings: end.findings.map(finding => ({ ...finding, at: placeIn(finding.at, session, ref) })) }
  } finally {
    // Closes the file also when the caller stops early.
    await reading.return(undefined as never)
  }
}

/** The end of a reading as `readSession` returns it. What was skipped is logged. */
export async function noteEnd(context: Context, session: SessionRef, ended: ReadingEnd): Promise<ReadingEnd> {
  const agent = agentById(context, session.agent)
  for (const finding of ended.findings) context.log.skip(agent.id, session.sessionId, finding)
  await context.log.flush()
  const end = { ...ended, facts: withOwnId(ended.facts, session) }
  return !isIdSuspect(agent, session) ? end : { ...end, findings: [...end.findings, unusualId(agent, session)] }
}

/** The session in a form that its store can read. The archive is not loaded for any other session. */
export async function readableCopy(context: Context, session: SessionRef): Promise<SessionRef> {
  const { readable } = await import('../archive/archived-sessions.ts')
  return await readable(context, session)
}

/** A session has one id: the one under which it is listed. Only a file outside every store has none. */
export function withOwnId(facts: SessionFacts, { sessionId, isOutside }: SessionRef): SessionFacts {
  return isOutside === true ? facts : { ...facts, sessionId }
}

/**
 * Before the first message, a lock is answered with the last good reading. After it, a lock can no longer
 * occur.
 */
async function* withLastGood(context: Context, session: SessionRef, reading: Reading): Reading {
  const recorder = new LastGoodRecorder(context, session)
  try {
    const seen = new Set<string>()
    let step = await reading.next()
    for (; !step.done; step = await reading.next()) {
      // A database that changed during the reading is read again from the start. Messages already returned
      // are skipped.
      if (seen.has(step.value.id)) continue
      seen.add(step.value.id)
      const json = recorder.add(step.value)
      if (json !== undefined) lastKept = { message: step.value, json }
      yield step.value
    }
    recorder.commit(step.value)
    return step.value
  } catch (error) {
    const kept = hasErrorCode(error, 'database-busy') ? readLastGoodLines(context.state, keyOf(session)) : undefined
    if (kept === undefined) throw error
    return yield* yieldLastGood(kept, error)
  } finally {
    recorder.abandon()
    lastKept = undefined
    await reading.return(undefined as never)
  }
}

/** The JSON of the last message that was stored: a caller that prints it needs it too. */
let lastKept: { message: Message; json: Buffer } | undefined

/** The JSON of the last message of `readSession`, which the caller must not have changed. Valid until the next one. */
export function messageJson(message: Message): string | Buffer {
  return lastKept?.message === message ? lastKept.json : toJson(message)
}

/**
 * Keeps a reading of which the caller prints the messages. To be called before the database is opened. Undefined if
 * it would never be shown again, or is stored already.
 */
export function keepReading(context: Context, session: SessionRef): LastGoodRecorder | undefined {
  if (!isKept(context, session)) return undefined
  const recorder = new LastGoodRecorder(context, session)
  return recorder.isOver ? undefined : recorder
}

export function isKept(context: Context, session: SessionRef): boolean {
  return storeOf(agentOf(context, session), session).traits.framing === 'sqlite'
}

/**
 * Stores a reading as long as that works. A full disk or an unwritable state folder must not fail the reading
 * itself. A reading that is stored already is not written again. To be made before the database is opened.
 */
export class LastGoodRecorder {
  readonly #context: Context
  readonly #key: string
  #of: string | undefined
  #writer: LastGoodWriter | undefined
  /** Nothing more is stored. */
  isOver = false

  constructor(context: Context, session: SessionRef) {
    this.#context = context
    this.#key = keyOf(session)
    this.#attempt(() => {
      this.#of = stateOf(session)
      this.isOver = hasLastGood(context.state, this.#key, this.#of)
    })
  }

  /** Returns its JSON. */
  add(message: Message): Buffer | undefined {
    return this.#attempt(() => this.#open()?.add(toJson(message)))
  }

  /** The JSON of messages, separated by commas and newlines. */
  addPrinted(messages: Buffer): void {
    if (messages.length > 0) this.#attempt(() => this.#open()?.addLines(messages))
  }

  commit(end: ReadingEnd): void {
    this.#attempt(() => {
      const writer = this.#open()
      writer?.add(toJson({ end, of: this.#of }))
      writer?.commit()
    })
    this.isOver = true
    this.#writer = undefined
  }

  /** Does nothing after a commit. */
  abandon(): void {
    this.isOver = true
    this.#writer?.abandon()
    this.#writer = undefined
  }

  #open(): LastGoodWriter | undefined {
    if (!this.isOver) this.#writer ??= writeLastGood(this.#context.state, this.#key)
    return this.#writer
  }

  #attempt<T>(step: () => T): T | undefined {
    try {
      return step()
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
      this.abandon()
      this.#context.log.debug('The reading could not be kept.', { code: error.code, path: error.path })
      return undefined
    }
  }
}

/**
 * The identity may be older than the database, so the files count as well. Another version of the readers
 * stores it again.
 */
function stateOf({ filePath, identity }: SessionRef): string {
  return [SUMMARIES, identity, roughDatabaseMark(filePath)].join('\n')
}

/** What earlier versions stored for a message. */
interface WrappedMessage {
  message: Message
}

function* yieldLastGood(kept: Iterable<string>, error: unknown): Generator<Message, ReadingEnd, void> {
  for (const line of kept) {
    const entry = JSON.parse(line) as Message | WrappedMessage | { end: ReadingEnd }
    if ('end' in entry) return busyEnd(entry.end)
    yield 'message' in entry ? entry.message : entry
  }
  // A file without its end was never committed, so another program put it there.
  throw error
}

function busyEnd(end: ReadingEnd): ReadingEnd {
  const text = 'The database is locked by another program; this is the last good reading.'
  return { ...end, type: 'partial', error: { code: 'database-busy', text }, parsedUpTo: 0, recovered: true }
}

function keyOf(session: SessionRef): string {
  return `${session.agent}\n${session.filePath}\n${session.sessionId}`
}

export function agentOf(context: Context, session: SessionRef): Agent {
  return agentById(context, session.agent)
}
