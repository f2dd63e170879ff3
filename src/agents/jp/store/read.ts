// Reads one conversation: the events as a stream, then the findings about its files in every copy.
import { basename, join } from 'node:path'
import { pace } from '../../../disk/files/pace.ts'
import type { OpenFile } from '../../../disk/files/read.ts'
import { exists, openFile } from '../../../disk/files/read.ts'
import { emptyFile, quote } from '../../../disk/files/system-errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import type { ClassifiedFile } from '../classify/classify-file.ts'
import type { ConversationFolder } from '../conversations.ts'
import { folderAt } from '../conversations.ts'
import type { PlaceName } from '../names.ts'
import { ACTIVE, ARCHIVED, BASE_CONFIG, EVENTS, MANAGED, OLD_MESSAGES, TRASHED } from '../names.ts'
import { classifyBeside, endConversation, repairedFrom } from './conversation-end.ts'
import type { ArrayEnd } from './event-file.ts'
import { readArray } from './event-file.ts'
import { repairHint } from './findings.ts'
import { modelOf } from './messages.ts'
import type { EventFile } from './proved-events.ts'
import { readEvents } from './proved-events.ts'
import { EventTaker } from './take-events.ts'

export function read(session: SessionRef): Reading {
  return pace(readConversation(session))
}

function* readConversation(session: SessionRef): Generator<Message, ReadingEnd, void> {
  const file = basename(session.filePath)
  if (file !== EVENTS && file !== OLD_MESSAGES) throw withoutEvents(session)
  const beside = classifyBeside(session)
  const stream = new Stream(session, beside.folder, beside[BASE_CONFIG].value)
  yield* stream.read()
  const { taker, findings, isAllRead, parsedUpTo } = stream
  const { counts, notes } = taker
  return endConversation(
    session,
    beside,
    { ...stream.classified(file), counts, notes, isAllRead, parsedUpTo },
    findings,
  )
}

/** Reads the events of a file as messages, and collects findings. */
class Stream {
  readonly findings = new Findings()
  readonly taker: EventTaker
  isAllRead = true
  parsedUpTo = 0
  readonly #session: SessionRef
  readonly #folder: ConversationFolder
  #end: ArrayEnd | undefined

  constructor(session: SessionRef, folder: ConversationFolder, baseConfig: unknown) {
    this.#session = session
    this.#folder = folder
    this.taker = new EventTaker(session.filePath, modelOf(baseConfig))
  }

  *read(): Generator<Message, void, void> {
    const { filePath, storeRoot } = this.#session
    const file = openFile(filePath, storeRoot)
    try {
      const reading = basename(filePath) === EVENTS ? readEvents(eventFile(file)) : readArray(file.chunks())
      let step = reading.next()
      for (; !step.done; step = reading.next())
        if (step.value.type === 'junk') this.#noteJunk(step.value)
        else for (const message of this.taker.take(step.value)) yield message
      this.#finish(step.value)
    } finally {
      file.close()
    }
  }

  classified(file: string): ClassifiedFile {
    const state = { file: EVENTS, path: this.#session.filePath } as const
    if (file === OLD_MESSAGES || this.#end === undefined) return { state: { ...state, condition: { type: 'missing' } } }
    const { condition, events } = this.taker.checks.end(this.#end)
    return { state: { ...state, condition }, events }
  }

  #finish(end: ArrayEnd): void {
    const { filePath } = this.#session
    if (end.scanned.isBlank) throw withWayOut(emptyFile(filePath), this.#session, this.#folder)
    if (!end.isArray) throw withWayOut(notEvents(filePath), this.#session, this.#folder)
    this.#end = end
    this.parsedUpTo = end.parsedUpTo
    this.isAllRead &&= end.scanned.fault === undefined || end.isReadToEnd
  }

  #noteJunk({ start, end }: { start: number; end: number }): void {
    const { filePath } = this.#session
    this.isAllRead = false
    this.findings.add({
      damage: 'malformed-element',
      severity: 'lost',
      at: { file: filePath, start, end },
      text: `${end - start} bytes among the events are not JSON; they were left out.`,
      hint: `See the bytes: tail -c +${start + 1} ${quote(filePath)} | head -c ${end - start}`,
    })
  }
}

function eventFile({ path, identity, range, chunks }: OpenFile): EventFile {
  return { path, size: identity.size, range, chunks: () => chunks() }
}

/**
 * Adds what JP does with the conversation and the repair command. Not for a file outside a storage, nor for
 * the oldest layout, which no command repairs.
 */
function withWayOut(error: RethreadError, session: SessionRef, folder: ConversationFolder): RethreadError {
  if (folder.root.path === folder.path || basename(session.filePath) === OLD_MESSAGES) return error
  const { filePath, sessionId, copies = [] } = session
  // A single copy in the trash cannot be repaired from another one.
  const isLost = folder.place === TRASHED && copies.length === 0
  const repair = repairHint(folder.place, { sessionId, folder: repairedFrom(session, folder.root.path) })
  return new RethreadError({
    code: error.code,
    text: `${error.message}${FATES[folder.place]}`,
    hint: isLost ? error.hint : inspectThenRepair(error.hint, repair),
    path: filePath,
    offset: 0,
    cause: error,
  })
}

/** Joins two hints into one line that ends with the repair command. */
function inspectThenRepair(inspect: string, repair: string): string {
  const [what, ...command] = inspect.split(': ')
  return `${what} (${command.join(': ')}), then ${repair.charAt(0).toLowerCase()}${repair.slice(1)}`
}

/** What JP does with a conversation without readable events. */
const FATES: Record<PlaceName, string> = {
  [ACTIVE]: ' The next command of JP moves the conversation to its trash.',
  [ARCHIVED]: ' JP cannot load the conversation.',
  [TRASHED]: '',
}

function withoutEvents(session: SessionRef): RethreadError {
  const { filePath, generation, sessionId, storeRoot } = session
  const { place } = folderAt(filePath, generation, storeRoot)
  const isTrashed = place === TRASHED
  const isEmptyCopy = MANAGED.every(name => !exists(join(filePath, name)))
  const what =
    isTrashed && isEmptyCopy
      ? `Nothing of a conversation is in ${filePath}`
      : `Conversation ${sessionId} has no ${EVENTS}: its messages are gone`
  return new RethreadError({
    code: 'not-found',
    text: isTrashed ? `${what}. It is in the trash of JP, and there is nothing to restore.` : `${what}.${FATES[place]}`,
    hint: isTrashed
      ? `See what is in it: ls -la ${quote(filePath)}`
      : `See what can be done: rethread sanitize ${quote(repairedFrom(session, storeRoot))}`,
    path: filePath,
  })
}

function notEvents(path: string): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `${path} is not a list of events.`,
    hint: `See how it begins: head -c 200 ${quote(path)}`,
    path,
    offset: 0,
  })
}
