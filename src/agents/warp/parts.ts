// Reads a large conversation in parts: each has some messages of its tasks.
import type { Database } from '../../disk/sqlite/read-database.ts'
import type { Finding } from '../../model/finding.ts'
import type { Message } from '../../model/message.ts'
import type { RecordCounts } from '../../model/reading.ts'
import { PART_BYTES } from '../stores/part-log.ts'
import { type CutPart, makeRowParts, WORTH_BYTES } from '../stores/part-rows.ts'
import { type FactNotes, joinFactNotes, noteMessage } from './facts.ts'
import { endConversation, newState, openConversation, readTasks } from './read.ts'
import { indexTasks, makeTaskSource, type Task, type TaskEntry, type TaskIndex } from './tasks.ts'

/** Each thread holds a task while it reads its messages. */
const MAX_TASK_BYTES = 64 * 1024 * 1024

interface Known {
  /** All tasks of the conversation. Empty in all parts but the first. */
  all: Task[]
  /** Those of this part. */
  tasks: Task[]
  /** How many of these have messages in the parts before. They come first. */
  started: number
  /** Of each message: its task, its start and its end. */
  places: Float64Array
}

interface Collected {
  findings: Finding[]
  counts: RecordCounts
  notes: FactNotes
  given: number
}

export const parts = makeRowParts<Known, Collected>({
  *cut(database, { sessionId }, sizes) {
    const index = indexTasks(database, sessionId)
    const isWorth = sizes !== undefined || index.tasks.reduce((sum, { size }) => sum + size, 0) >= WORTH_BYTES
    if (isWorth && index.tasks.every(({ size }) => size <= MAX_TASK_BYTES)) yield* cutIndex(index, sizes?.part)
  },

  *read(database, _, known): Generator<Message, Collected | undefined, void> {
    const state = newState()
    const started = new Set(known.tasks.slice(0, known.started))
    const messages = readTasks(database, { entries: entriesOf(known), started, bytesOf: sourceOf(database) }, state)
    let given = 0
    for (const message of messages) {
      given++
      noteMessage(state.notes, message)
      yield message
    }
    const { findings, counts, notes } = state
    return findings.beyondLimit > 0 ? undefined : { findings: findings.list, counts, notes, given }
  },

  end(database, { sessionId }, read) {
    const opened = openConversation(database, sessionId, read[0]?.known.all ?? [])
    const { state } = opened
    let given = 0
    for (const { collected } of read) {
      given += collected.given
      for (const finding of collected.findings) state.findings.add(finding)
      state.counts.records += collected.counts.records
      state.counts.bookkeeping += collected.counts.bookkeeping
      state.counts.unknown += collected.counts.unknown
      state.counts.skipped += collected.counts.skipped
      state.notes = joinFactNotes(state.notes, collected.notes)
    }
    return endConversation(database, sessionId, opened, given)
  },
})

/** Rather where another task goes on, so that each is read by one thread. */
function* cutIndex({ tasks, entries }: TaskIndex, partBytes = PART_BYTES): Generator<CutPart<Known>, void, void> {
  const before = new Set<Task>()
  let start = 0
  let bytes = 0
  for (const [at, entry] of entries.entries()) {
    bytes += entry.end - entry.start
    const next = entries[at + 1]
    const enough = next?.task === entry.task ? partBytes : partBytes / 2
    if (next !== undefined && bytes < enough) continue
    const known = knownOf(entries.slice(start, at + 1), before)
    yield { known: { ...known, all: start === 0 ? tasks : [] }, messages: at + 1 - start }
    start = at + 1
    bytes = 0
  }
}

/** Adds the tasks of these messages to those before. */
function knownOf(entries: readonly TaskEntry[], before: Set<Task>): Omit<Known, 'all'> {
  const own = [...new Set(entries.map(({ task }) => task))]
  const started = own.filter(task => before.has(task))
  const tasks = [...started, ...own.filter(task => !before.has(task))]
  for (const task of own) before.add(task)
  const places = new Float64Array(entries.length * 3)
  const numbers = new Map(tasks.map((task, at) => [task, at]))
  for (const [at, { task, start, end }] of entries.entries()) places.set([numbers.get(task) ?? 0, start, end], at * 3)
  return { tasks, started: started.length, places }
}

function* entriesOf({ tasks, places }: Known): Generator<TaskEntry, void, void> {
  for (let at = 0; at < places.length; at += 3) {
    const [task, start = 0, end = 0] = [tasks[places[at] ?? 0], places[at + 1], places[at + 2]]
    if (task !== undefined) yield { task, start, end, time: 0 }
  }
}

/** Less than in a reading of the whole: each thread has its own. */
const MAX_HELD_BYTES = 8 * 1024 * 1024

/** A task may go on in the next part that this thread reads. */
const sources = new WeakMap<Database, ReturnType<typeof makeTaskSource>>()

function sourceOf(database: Database): ReturnType<typeof makeTaskSource> {
  const source = sources.get(database) ?? makeTaskSource(database, MAX_HELD_BYTES)
  sources.set(database, source)
  return source
}
