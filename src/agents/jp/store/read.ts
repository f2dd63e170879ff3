// Reads one conversation: the events as a stream, then the findings about its files in every copy.
import { basename, dirname, join } from 'node:path'
import { pace } from '../../../disk/files/pace.ts'
import { exists, openFile } from '../../../disk/files/read.ts'
import { emptyFile, quote } from '../../../disk/files/system-errors.ts'
import { RethreadError } from '../../../model/errors.ts'
import { Findings } from '../../../model/finding.ts'
import type { Message } from '../../../model/message.ts'
import type { Reading, ReadingEnd, ReadingFacts, SessionFacts } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { titleFrom } from '../../stores/title.ts'
import { asObject, asText, present } from '../../stores/values.ts'
import type { ClassifiedFile } from '../classify/classify-file.ts'
import { EventChecks } from '../classify/classify-file.ts'
import type { ClassifiedFiles } from '../classify/index.ts'
import { classifyAlone, classifyCopy, copyState } from '../classify/index.ts'
import type { ConversationFolder } from '../conversations.ts'
import { folderAt, folderInStorage } from '../conversations.ts'
import { timeOfId, titleOfSlug } from '../ids.ts'
import { isOutdated } from '../loader.ts'
import type { PlaceName } from '../names.ts'
import {
  ACTIVE,
  ARCHIVED,
  BASE_CONFIG,
  EVENTS,
  INIT_CONFIG,
  MANAGED,
  METADATA,
  OLD_MESSAGES,
  TRASHED,
  WORKSPACE_FOLDER,
} from '../names.ts'
import type { ArrayEnd, ArrayItem } from './event-file.ts'
import { readArray } from './event-file.ts'
import { findingsOf, repairHint } from './findings.ts'
import { messageOf, messagesOfPair, modelOf } from './messages.ts'

export function read(session: SessionRef): Reading {
  return pace(readConversation(session))
}

function* readConversation(session: SessionRef): Generator<Message, ReadingEnd, void> {
  const file = basename(session.filePath)
  if (file !== EVENTS && file !== OLD_MESSAGES) throw withoutEvents(session)
  const folder = folderOf(session)
  const metadata = classifyAlone(folder, METADATA)
  const baseConfig = classifyAlone(folder, BASE_CONFIG)
  const facts = new Facts(session, folder, metadata.value, baseConfig.value)
  const conversation = new Stream(session, folder, facts)
  yield* conversation.read()
  const events = conversation.classified(file)
  const found: ClassifiedFiles = {
    [METADATA]: metadata,
    [BASE_CONFIG]: baseConfig,
    [INIT_CONFIG]: classifyAlone(folder, INIT_CONFIG),
    [EVENTS]: events,
  }
  const loads = noteFindings(session, folder, found, conversation)
  const { findings, counts } = conversation
  counts.skipped = findings.lost
  const progress = { parsedUpTo: conversation.parsedUpTo, recovered: counts.records > 0 }
  const common = { facts: facts.toSessionFacts(), counts, branches: [], continued: false, ...loads }
  return endReading(common, findings, progress)
}

/** A session that was opened by its path may be in a storage too. */
function folderOf({ filePath, generation, storeRoot }: SessionRef): ConversationFolder {
  const path = dirname(filePath)
  return folderInStorage(path) ?? folderAt(path, generation, storeRoot)
}

/** Adds the findings. Returns how many records JP loads, unless it loads all. */
function noteFindings(
  session: SessionRef,
  folder: ConversationFolder,
  found: ClassifiedFiles,
  conversation: Stream,
): Pick<ReadingFacts, 'loads' | 'loadsRepaired'> {
  const isAdopted = folder.root.path === folder.path
  const options = { folder: repairedFrom(session, folder.root.path), sessionId: session.sessionId, isAdopted }
  const own = copyState(folder, found)
  for (const finding of findingsOf(own, { ...options, isAllRead: conversation.isAllRead }))
    if (!isAdopted || finding.at.file === session.filePath) conversation.findings.add(finding)
  for (const path of session.copies ?? []) {
    const copy = classifyCopy(folderAt(path, session.generation))
    for (const finding of findingsOf(copy, { ...options, isAllRead: true })) conversation.findings.add(finding)
  }
  if (isAdopted || own.judgement.type === 'loads') return {}
  // An outdated layout is not damaged, and no repair makes JP load it.
  return { loads: 0, ...(isOutdated(own.layout) ? { loadsRepaired: 0 } : {}) }
}

/** Reads the events of a file as messages, and collects findings and counts. */
class Stream {
  readonly findings = new Findings()
  readonly counts = { records: 0, bookkeeping: 0, unknown: 0, skipped: 0 }
  isAllRead = true
  parsedUpTo = 0
  readonly #session: SessionRef
  readonly #folder: ConversationFolder
  readonly #facts: Facts
  readonly #notes = new EventChecks()
  #end: ArrayEnd | undefined

  constructor(session: SessionRef, folder: ConversationFolder, facts: Facts) {
    this.#session = session
    this.#folder = folder
    this.#facts = facts
  }

  *read(): Generator<Message, void, void> {
    const { filePath, storeRoot } = this.#session
    const file = openFile(filePath, storeRoot)
    try {
      const reading = readArray(file.chunks())
      let step = reading.next()
      for (; !step.done; step = reading.next()) yield* this.#take(step.value)
      this.#finish(step.value)
    } finally {
      file.close()
    }
  }

  classified(file: string): ClassifiedFile {
    const state = { file: EVENTS, path: this.#session.filePath } as const
    if (file === OLD_MESSAGES || this.#end === undefined) return { state: { ...state, condition: { type: 'missing' } } }
    const { condition, events } = this.#notes.end(this.#end)
    return { state: { ...state, condition }, events }
  }

  *#take(item: ArrayItem): Generator<Message, void, void> {
    const { filePath } = this.#session
    const at = { file: filePath, start: item.start, end: item.end }
    if (item.type === 'junk') {
      this.#noteJunk(item.start, item.end)
      return
    }
    this.counts.records++
    this.#notes.take(item)
    this.#facts.noteEvent(item.value)
    const id = String(item.index)
    const shown =
      basename(filePath) === OLD_MESSAGES
        ? messagesOfPair(item.value, id, at)
        : [messageOf(item.value, id, at, this.#facts.model)]
    for (const one of shown) {
      if (one.type === 'bookkeeping') this.counts.bookkeeping++
      else {
        if (one.type === 'unknown') this.counts.unknown++
        this.#facts.noteMessage(one.message)
        yield one.message
      }
    }
  }

  #finish(end: ArrayEnd): void {
    const { filePath } = this.#session
    if (end.scanned.isBlank) throw withWayOut(emptyFile(filePath), this.#session, this.#folder)
    if (!end.isArray) throw withWayOut(notEvents(filePath), this.#session, this.#folder)
    this.#end = end
    this.parsedUpTo = end.parsedUpTo
    this.isAllRead &&= end.scanned.fault === undefined || end.isReadToEnd
  }

  #noteJunk(start: number, end: number): void {
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

/**
 * The folder to pass to the repair command: the workspace, or the user-local storage if the workspace is
 * gone.
 */
function repairedFrom({ project }: SessionRef, root: string): string {
  return project !== undefined && exists(join(project, WORKSPACE_FOLDER)) ? project : root
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

class Facts {
  /** The model that answers at this point of the conversation. */
  model: string | undefined
  readonly #session: SessionRef
  readonly #folder: ConversationFolder
  readonly #title: string | undefined
  #prompt: string | undefined
  #firstAt: string | undefined
  #lastAt: string | undefined

  constructor(session: SessionRef, folder: ConversationFolder, metadata: unknown, baseConfig: unknown) {
    this.#session = session
    this.#folder = folder
    this.#title = asText(asObject(metadata)?.['title'])
    this.model = modelOf(baseConfig)
  }

  noteEvent(value: unknown): void {
    const event = asObject(value)
    if (event?.['type'] === 'config_delta') this.model = modelOf(event['delta']) ?? modelOf(event) ?? this.model
  }

  noteMessage({ time, role, parts }: Message): void {
    this.#firstAt ??= time ?? undefined
    if (time !== null && time > (this.#lastAt ?? '')) this.#lastAt = time
    if (role !== 'user' || this.#prompt !== undefined) return
    this.#prompt = titleFrom(parts.map(part => (part.type === 'text' ? part.text : '')).join('\n'))
  }

  toSessionFacts(): SessionFacts {
    const { parsed } = this.#folder
    const slug = parsed.type === 'unparseable' ? undefined : titleOfSlug(parsed.slug)
    const created = parsed.type === 'unparseable' ? this.#firstAt : new Date(timeOfId(parsed.id)).toISOString()
    return present<SessionFacts>({
      title: this.#session.title ?? this.#title ?? slug ?? this.#prompt,
      project: this.#session.project,
      startedAt: created,
      updatedAt: this.#lastAt ?? created,
      model: this.model,
    })
  }
}
