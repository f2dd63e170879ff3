// The text of a part that was found, read again from its session or
// from the archive: the index does not hold it.
import { isObject, parseJson, parseObject } from '../bytes/json.ts'
import type { Context } from '../catalog/context.ts'
import { readSession } from '../catalog/reading.ts'
import { openStored, type StoredForm } from '../catalog/stored.ts'
import type { FoundPart, IndexedPart, IndexRow } from '../disk/search/search-index.ts'
import { RethreadError } from '../model/errors.ts'
import type { Message, Place } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'
import { partTexts, stringsIn, unpackKind } from './parts.ts'

/** A longer record is read by the reader of its store. */
const MAX_RECORD_BYTES = 2_000_000
/** Texts of a record that is not whole are divided here. */
const BROKEN_STRING = /"((?:[^"\\]|\\.)*)"?/g
const MAX_NESTED = 3
const MAX_READ_ALONG = 8

export interface RecordTexts {
  texts: string[]
  /** They are the text of the part itself, by its length. */
  isOwn: boolean
}

/** For one search: sessions are opened once, and closed at its end. */
export class Passages {
  readonly #context: Context
  readonly #stored = new Map<number, Promise<StoredForm>>()
  readonly #messages = new Map<number, Map<number, Message>>()

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * The texts in the stored record of a part. Fast, but a store may keep its texts in another form. Undefined
   * where the record cannot be read so.
   */
  async record(session: IndexRow, part: IndexedPart): Promise<RecordTexts | undefined> {
    const ref = refOf(session)
    const place = placeOf(ref, part)
    if ('start' in place && place.end - place.start > MAX_RECORD_BYTES) return undefined
    try {
      const bytes = await (await this.#open(session.id, ref)).read(place)
      const values = valuesOf(bytes)
      const strings = nested(values.flatMap(value => stringsIn(value)))
      const own: string[] = []
      if (unpackKind(part.kind).part === 'tool-call') findCalls(values, part.size, own)
      else own.push(...strings.filter(text => text.length === part.size))
      return own.length > 0 ? { texts: own, isOwn: true } : { texts: strings, isOwn: false }
    } catch (error) {
      if (error instanceof RethreadError) return undefined
      throw error
    }
  }

  /**
   * The text as the reader of the store gives it. Undefined where the session has changed and no longer has
   * it. The first of the `others` are read along with it: they are likely to be asked for next.
   */
  async readAgain(
    session: IndexRow,
    { message, part }: IndexedPart,
    others: readonly FoundPart[],
  ): Promise<string | undefined> {
    const known = this.#messages.get(session.id) ?? new Map<number, Message>()
    this.#messages.set(session.id, known)
    if (!known.has(message)) {
      const wanted = new Set([message, ...others.slice(0, MAX_READ_ALONG).map(other => other.message)])
      await this.#read(refOf(session), wanted, known)
    }
    const found = known.get(message)
    return found === undefined ? undefined : partTexts(found)[part]?.text
  }

  async #read(ref: SessionRef, wanted: Set<number>, into: Map<number, Message>): Promise<void> {
    const last = Math.max(...wanted)
    const numbers = new Map<string, number>()
    const reading = readSession(this.#context, ref)
    try {
      for (let step = await reading.next(); !step.done; step = await reading.next()) {
        const number = numbers.get(step.value.id) ?? numbers.size + 1
        numbers.set(step.value.id, number)
        if (number > last) return
        if (wanted.has(number)) into.set(number, step.value)
      }
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
    } finally {
      await reading.return(undefined as never)
    }
  }

  async #open(id: number, ref: SessionRef): Promise<StoredForm> {
    const known = this.#stored.get(id)
    if (known !== undefined) return await known
    const opened = openStored(this.#context, ref)
    this.#stored.set(id, opened)
    return await opened
  }

  async close(): Promise<void> {
    for (const opened of this.#stored.values()) (await opened.catch(() => undefined))?.close()
  }
}

export function refOf({ ref }: IndexRow): SessionRef {
  return JSON.parse(ref) as SessionRef
}

export function placeOf({ filePath }: SessionRef, { start, length, place }: IndexedPart): Place {
  if (place !== null) return JSON.parse(place) as Place
  return { file: filePath, start: start ?? 0, end: (start ?? 0) + (length ?? 0) }
}

const LINE_FEED = 10

/** A message may have several records, one a line. Of a line that is not whole, the texts in it. */
function valuesOf(bytes: Buffer): unknown[] {
  const whole = parseJson(bytes)
  if (whole !== undefined) return [whole]
  const values: unknown[] = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    values.push(parseObject(line) ?? brokenStrings(line))
    start = end + 1
  }
  return values
}

function brokenStrings(bytes: Buffer): string[] {
  return Array.from(bytes.toString('utf8').matchAll(BROKEN_STRING), ([, inside = '']) => unescaped(inside))
}

/**
 * As the call of a tool is indexed: a name, and the texts of another field beside it. Those of this size are
 * added. Returns the size of all texts in the value, with the line ends between them.
 */
function findCalls(value: unknown, size: number, found: string[]): number {
  if (typeof value === 'string') return value.length + 1
  if (typeof value === 'number') return String(value).length + 1
  if (typeof value !== 'object' || value === null) return 0
  const fields: unknown[] = Object.values(value)
  const sizes = fields.map(field => findCalls(field, size, found))
  if (isObject(value))
    for (const name of fields) if (typeof name === 'string') addCalls(name, fields, sizes, size, found)
  return sizes.reduce((sum, each) => sum + each, 0)
}

function addCalls(name: string, fields: unknown[], sizes: number[], size: number, found: string[]): void {
  for (const [at, field] of fields.entries()) {
    if (field === name) continue
    if (name.length + (sizes[at] ?? 0) === size) found.push([name, ...stringsIn(field)].join('\n'))
    // The input may be JSON as text.
    else if (typeof field === 'string' && field.length + name.length > size && /^[[{]/.test(field)) {
      const text = [name, ...stringsIn(parseJson(Buffer.from(field)))].join('\n')
      if (text.length === size) found.push(text)
    }
  }
}

function unescaped(text: string): string {
  const value = text.includes('\\') ? parseJson(Buffer.from(`"${text}"`)) : text
  return typeof value === 'string' ? value : text
}

/** A column or a field may hold JSON as text. */
function nested(strings: readonly string[], depth = 0): string[] {
  return strings.flatMap(text => {
    if (depth >= MAX_NESTED || !/^[[{]/.test(text)) return [text]
    const value = parseJson(Buffer.from(text))
    return value === undefined ? [text] : [...nested(stringsIn(value), depth + 1), text]
  })
}

export function isTitle({ kind }: FoundPart): boolean {
  return unpackKind(kind).part === 'title'
}
