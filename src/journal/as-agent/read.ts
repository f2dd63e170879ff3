// Reads one conversation of a journal, a page of events at a time. Memory holds one page and the open
// messages.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Kysely } from 'kysely'
import type { ReadOptions } from '../../agents/store.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { isCorruption } from '../../disk/sqlite/errors.ts'
import { BUSY_TIMEOUT_MS } from '../../disk/sqlite/read-database.ts'
import type { Finding } from '../../model/finding.ts'
import { Findings } from '../../model/finding.ts'
import type { Message } from '../../model/message.ts'
import { endReading, type Reading, type ReadingEnd } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import { ConversationReducer } from '../conversation/reducer.ts'
import { sessionNotFound } from '../errors.ts'
import { readNote } from '../store/notes.ts'
import { describeSkipped } from '../store/quarantine.ts'
import { readEvents, readLastSeq } from '../store/read-events.ts'
import { type JournalReader, openJournalReader } from '../store/read-only.ts'
import type { JournalTables } from '../store/schema.ts'
import { makeSqliteDialect } from '../store/sqlite-dialect.ts'
import type { EventPage, JournalEvent, Skipped } from '../store/store.ts'
import { FactCollector } from './facts.ts'
import { Timeline } from './messages.ts'
import { findRow, hasTables, type JournalSessionRow, metadataText } from './tables.ts'

const PAGE = 500
const MAX_PAGE_BYTES = 4 * 1024 * 1024

export async function* read(session: SessionRef, options: ReadOptions = {}): Reading {
  const reader = openJournalReader(session.filePath, options)
  try {
    const source = makeSource(reader, session, options.busyMs ?? BUSY_TIMEOUT_MS)
    return yield* readConversation(source, session)
  } finally {
    reader.close()
  }
}

interface Source {
  beginning(): Promise<{ row: JournalSessionRow | undefined; metadata: string | undefined; last: number }>
  page(after: number, last: number): Promise<Omit<EventPage, 'total'>>
}

/** Damaged rows are not copied to the quarantine: a reader must not write. */
const quarantine = async (): Promise<boolean> => false

function makeSource(reader: JournalReader, { sessionId, filePath }: SessionRef, busyMs: number): Source {
  const over = (connection: Parameters<Parameters<JournalReader['use']>[0]>[0]) =>
    new Kysely<JournalTables>({ dialect: makeSqliteDialect({ connection, path: filePath, busyMs }) })
  return {
    beginning: () =>
      reader.use(async connection => {
        if (!hasTables(connection, filePath)) throw sessionNotFound(filePath, sessionId)
        const last = await readLastSeq(over(connection), sessionId)
        const row = unlessDamaged(() => findRow(connection, sessionId))
        if (row === undefined && last === 0) throw sessionNotFound(filePath, sessionId)
        return { row, last, metadata: unlessDamaged(() => metadataText(connection, sessionId)) }
      }),
    page: (after, last) =>
      reader.use(connection => {
        const window = { sessionId, firstSeq: after + 1, lastSeq: Math.min(last, after + PAGE), from: 'first' as const }
        return readEvents(over(connection), window, { quarantine, maxBytes: MAX_PAGE_BYTES })
      }),
  }
}

async function* readConversation(source: Source, session: SessionRef): Reading {
  const { row, metadata, last } = await source.beginning()
  const state = new ReadingState(session, new FactCollector(session, row, metadata))
  state.noteRow(row)
  let given = 0
  for (let after = 0; after < last; ) {
    const page = await source.page(after, last)
    for (const message of state.take(page)) {
      given++
      yield message
    }
    after = page.lastSeq
    // Yield to the event loop, so that a long conversation does not block a server.
    await nextTurn()
  }
  for (const message of state.finish()) {
    given++
    yield message
  }
  return state.end(given > 0)
}

class ReadingState {
  readonly #reducer = new ConversationReducer()
  readonly #timeline: Timeline
  readonly #findings = new Findings()
  readonly #facts: FactCollector
  readonly #counts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  readonly #session: SessionRef

  constructor(session: SessionRef, facts: FactCollector) {
    this.#session = session
    this.#timeline = new Timeline(session.filePath)
    this.#facts = facts
  }

  /** The conversation is whole; only what the row said about it is not. */
  noteRow(row: JournalSessionRow | undefined): void {
    const { filePath, sessionId } = this.#session
    const damaged = row?.damaged ?? ['id']
    if (damaged.length === 0) return
    const what = row === undefined ? 'is missing' : `cannot be read: ${damaged.join(', ')}`
    this.#findings.add({
      damage: 'unreadable-row',
      severity: 'survived',
      at: { file: filePath, table: 'sessions', row: row?.number ?? sessionId },
      text: `The row of this conversation ${what}. What its messages say is shown instead.`,
      hint: `Keep a copy before anything else: cp ${quote(filePath)}* /some/other/disk/`,
    })
  }

  *take({ events, skipped }: Omit<EventPage, 'total'>): Generator<Message, void, void> {
    let at = 0
    for (const event of events) {
      for (; at < skipped.length && (skipped[at]?.at ?? 0) < event.seq; at++) this.#skip(skipped[at], event.createdAt)
      yield* this.#apply(event)
    }
    for (; at < skipped.length; at++) this.#skip(skipped[at], events.at(-1)?.createdAt ?? 0)
  }

  *finish(): Generator<Message, void, void> {
    for (const message of this.#timeline.finish()) yield this.#facts.note(message)
  }

  end(isRecovered: boolean): ReadingEnd {
    const common = { facts: this.#facts.facts(), counts: this.#counts, branches: [], continued: false }
    return endReading(common, this.#findings, { parsedUpTo: 0, recovered: isRecovered })
  }

  *#apply(event: JournalEvent): Generator<Message, void, void> {
    const changes = this.#reducer.apply(event)
    this.#counts.records++
    this.#facts.noteEvent(event.createdAt, changes)
    const isSaid = changes.some(({ type }) => type === 'message' || type === 'part')
    if (!isSaid) this.#counts.bookkeeping++
    if (changes.some(change => change.type === 'part' && change.part.type === 'unknown')) this.#counts.unknown++
    const settled = event.kind === '_rethread/settled' ? readNote('_rethread/settled', event.envelope) : undefined
    if (settled !== undefined) this.#timeline.note(event.seq, event.createdAt, settled.text)
    for (const message of this.#timeline.push(changes)) yield this.#facts.note(message)
  }

  #skip(skipped: Skipped | undefined, createdAt: number): void {
    if (skipped === undefined) return
    const { text, finding } = findingOf(this.#session, skipped)
    this.#counts.skipped += (skipped.upTo ?? skipped.at) - skipped.at + 1
    this.#findings.add(finding)
    this.#timeline.note(skipped.at, createdAt, text)
  }
}

/** A conversation whose own row is damaged can still be read. */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isCorruption(error)) return undefined
    throw error
  }
}

function findingOf({ filePath }: SessionRef, skipped: Skipped): { text: string; finding: Finding } {
  const text = describeSkipped(skipped)
  const { at } = skipped
  return {
    text,
    finding: {
      damage: 'unreadable-row',
      severity: 'lost',
      at: { file: filePath, table: 'events', row: at },
      text,
      hint: `Keep a copy before anything else: cp ${quote(filePath)}* /some/other/disk/. What SQLite can still find: sqlite3 ${quote(filePath)} .recover`,
    },
  }
}
