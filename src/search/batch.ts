// Parts of many sessions, gathered and then written together in the order of their ids.
import type { IndexedPart, NewPart, SearchIndex } from '../disk/search/search-index.ts'
import { idAt } from '../disk/search/search-index.ts'
import { hashOf } from '../model/columns.ts'
import type { Message, Place } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'
import { clip, facetsOf, packKind, partTexts, unpackKind } from './parts.ts'
import { indexText } from './tokenizer.ts'

/** Characters that are held before they are written. */
const MAX_CHARACTERS = 4_000_000
const MAX_SESSIONS = 500
const SEEDS = { a: 0x2545f491, b: 0x4f6cdd1d }
/** The title is a part of the session and of no message. */
const TITLE = -1
const DAY_SECONDS = 86_400

export function indexedKey({
  agent,
  filePath,
  sessionId,
}: Pick<SessionRef, 'agent' | 'filePath' | 'sessionId'>): string {
  return `${agent}\n${filePath}\n${sessionId}`
}

interface Entry {
  draft: SessionDraft
  wanted: number
  part: NewPart
  /** Undefined for a message without text: only its number is kept. */
  words: HeldWords | undefined
}

/** In the held bytes: the text from `start`, and the pieces after it. */
interface HeldWords {
  start: number
  textEnd: number
  end: number
}

const FIRST_HELD_BYTES = 64 * 1024
const BYTES_OF_UNIT = 3

/**
 * Texts until they are written, as bytes outside the heap: as strings,
 * each of them would be copied by the collector.
 */
class HeldTexts {
  #bytes = Buffer.allocUnsafe(FIRST_HELD_BYTES)
  #used = 0

  add(whole: string): HeldWords {
    const { text, pieces } = indexText(whole)
    this.#reserve((text.length + pieces.length) * BYTES_OF_UNIT)
    const start = this.#used
    const textEnd = start + this.#bytes.write(text, start)
    this.#used = textEnd + this.#bytes.write(pieces, textEnd)
    return { start, textEnd, end: this.#used }
  }

  get({ start, textEnd, end }: HeldWords): { text: Uint8Array; pieces: Uint8Array } {
    return { text: this.#bytes.subarray(start, textEnd), pieces: this.#bytes.subarray(textEnd, end) }
  }

  clear(): void {
    this.#used = 0
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#used + bytes))
    this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
  }
}

export interface DraftEnd {
  identity: string
  title: string | null
  project: string | null
  checkpoint: string | null
  /** Milliseconds since 1970, as the conversation says it. */
  updatedAt: number
}

const UNFINISHED = { identity: '', title: null, project: null, checkpoint: null, updatedAt: undefined }

export class IndexBatch {
  /** Sessions that are not indexed yet. Written with the rest, for other processes, where it is known. */
  behind: number | undefined
  /** Characters written so far. */
  written = 0
  readonly #index: SearchIndex
  readonly #texts = new HeldTexts()
  #drafts = new Set<SessionDraft>()
  #held = 0

  constructor(index: SearchIndex) {
    this.#index = index
  }

  begin(session: SessionRef, isContinued: boolean): SessionDraft {
    const draft = new SessionDraft(this.#index, this.#texts, session, isContinued)
    this.#drafts.add(draft)
    return draft
  }

  drop(draft: SessionDraft): void {
    this.#held -= draft.characters
    this.#drafts.delete(draft)
  }

  add(draft: SessionDraft, message: Message): void {
    const before = draft.characters
    draft.add(message)
    this.#held += draft.characters - before
  }

  flushIfLarge(): void {
    if (this.#held > MAX_CHARACTERS || this.#drafts.size > MAX_SESSIONS) this.flush()
  }

  flush(): void {
    const drafts = [...this.#drafts]
    this.#index.write(() => {
      for (const draft of drafts) draft.prepare()
      const entries = drafts.flatMap(({ entries }) => entries)
      entries.sort((a, b) => a.wanted - b.wanted)
      let last = 0
      let free = 0
      for (const { draft, wanted, part, words } of entries) {
        last = Math.max(wanted, last + 1)
        if (last >= free) ({ first: last, end: free } = this.#index.freeIds(last))
        const session = draft.row.id
        this.#index.addPart(last, session, part)
        if (words !== undefined) {
          const { text, pieces } = this.#texts.get(words)
          this.#index.addWords(last, { text, pieces, facets: facetsOf(session, unpackKind(part.kind)) })
        }
        if (part.hash !== TITLE) draft.row.last = last
      }
      for (const draft of drafts) this.#index.updateSession(draft.row)
      if (this.behind !== undefined) this.#index.setFact('behind', String(this.behind))
    })
    for (const draft of drafts) this.written += draft.written()
    this.#held = 0
    this.#texts.clear()
    this.#drafts = new Set(drafts.filter(({ isEnded }) => !isEnded))
  }
}

/** What is to be written of one session. */
export class SessionDraft {
  characters = 0
  isEnded = false
  entries: Entry[] = []
  readonly #index: SearchIndex
  readonly #texts: HeldTexts
  readonly #session: SessionRef
  readonly #isContinued: boolean
  #row: Row | undefined
  /** The numbers of messages that were read, unless the index knows them. */
  readonly #numbers = new Map<number, number>()
  readonly #replaced = new Set<number>()
  #messages = 0
  #latest = 0
  #isPrepared = false
  #ended: DraftEnd | undefined

  constructor(index: SearchIndex, texts: HeldTexts, session: SessionRef, isContinued: boolean) {
    this.#index = index
    this.#texts = texts
    this.#session = session
    this.#isContinued = isContinued
    this.#row = index.sessionByKey(indexedKey(session))
    if (!isContinued || this.#row === undefined) return
    this.#messages = this.#row.messages
    this.#latest = this.#row.last
  }

  get row(): Row {
    if (this.#row === undefined) throw new Error('A session is not there yet.')
    return this.#row
  }

  add(message: Message): void {
    const hash = hashOfId(message.id)
    const known = this.#numbers.get(hash) ?? this.#numberInIndex(hash)
    const number = known ?? ++this.#messages
    if (known === undefined || !this.#numbers.has(hash)) this.#numbers.set(hash, number)
    if (known !== undefined) {
      this.#replaced.add(hash)
      this.entries = this.entries.filter(({ part }) => part.hash !== hash)
    }
    const seconds = message.time === null ? Number.NaN : Math.floor(Date.parse(message.time) / 1000)
    const isTimed = seconds > 0 && seconds < Date.now() / 1000 + DAY_SECONDS
    const wanted = Math.max(
      this.#latest,
      isTimed ? idAt(seconds) : 0,
      this.#latest === 0 && !isTimed ? this.#ownId() : 0,
    )
    this.#latest = wanted
    const place = placeColumns(message.at, this.#session)
    const common = { hash, message: number, time: isTimed ? seconds : null, ...place }
    let hasText = false
    for (const [at, text] of partTexts(message).entries()) {
      if (text.text.trim() === '') continue
      hasText = true
      const clipped = clip(text)
      this.characters += clipped.length
      const kind = packKind({ role: message.role, part: text.kind })
      const part = { ...common, part: at, kind, size: text.text.length }
      this.entries.push({ draft: this, wanted, part, words: this.#texts.add(clipped) })
    }
    if (hasText) return
    const kind = packKind({ role: message.role, part: 'notice' })
    this.entries.push({ draft: this, wanted, part: { ...common, part: 0, kind, size: 0 }, words: undefined })
  }

  /** The message has grown since the index was written. */
  #numberInIndex(hash: number): number | undefined {
    return this.#isContinued && this.#row !== undefined ? this.#index.messageNumber(this.#row.id, hash) : undefined
  }

  end(end: DraftEnd): void {
    const { title } = end
    this.isEnded = true
    this.#ended = end
    if (title === null || title.trim() === '' || (this.#isContinued && this.#row?.title === title)) return
    this.#replaced.add(TITLE)
    const kind = packKind({ role: 'system', part: 'title' })
    const part = {
      hash: TITLE,
      message: 0,
      part: 0,
      kind,
      size: title.length,
      time: null,
      start: null,
      length: null,
      place: null,
    }
    this.entries.push({
      draft: this,
      wanted: this.#latest === 0 ? this.#ownId() : this.#latest,
      part,
      words: this.#texts.add(title),
    })
  }

  /** Before its parts are added: its row is there, and what they replace is not. */
  prepare(): void {
    const key = indexedKey(this.#session)
    const known = this.#index.sessionByKey(key)
    this.#row = known ?? this.#index.addSession(key, JSON.stringify(this.#session))
    if (!this.#isPrepared && !this.#isContinued && known !== undefined) this.#index.removeParts(this.#row.id)
    else for (const hash of this.#replaced) this.#index.removeParts(this.#row.id, hash)
    this.#isPrepared = true
    const { updatedAt = this.#session.updatedAt, ...ended } = this.#ended ?? UNFINISHED
    Object.assign(this.#row, ended, { ref: JSON.stringify({ ...this.#session, updatedAt }), messages: this.#messages })
  }

  /** Called when everything so far is in the index. */
  written(): number {
    const { characters } = this
    this.entries = []
    this.characters = 0
    this.#replaced.clear()
    return characters
  }

  #ownId(): number {
    return idAt(this.#session.updatedAt / 1000)
  }
}

type Row = ReturnType<SearchIndex['addSession']>

function hashOfId(id: string): number {
  const { a, b } = hashOf(id, SEEDS)
  return (a >>> 0) * 0x200000 + (b >>> 11)
}

function placeColumns(at: Place, { filePath }: SessionRef): Pick<IndexedPart, 'start' | 'length' | 'place'> {
  if ('table' in at || at.file !== filePath) return { start: null, length: null, place: JSON.stringify(at) }
  return { start: at.start, length: at.end - at.start, place: null }
}
