// Applies the changes of a log like the agent's own loader, over an index of records alone.
import { parseObject } from '../../../bytes/json.ts'
import type { RecordFacts, RecordIndex } from '../../../repair/records/record-index.ts'
import type { Bytes } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asString } from '../../stores/values.ts'
import { listedMessages } from './changes.ts'
import { describeMessage } from './describe.ts'

interface Entry {
  /** The record that holds it. */
  record: number
  isTalk: boolean
  /** Only tool results. */
  isTool: boolean
  /** Shown, but not sent again. */
  isNotSent: boolean
  /** The agent fails on it. */
  isFatal: boolean
  results: readonly number[]
}

type Held = Pick<RecordFacts, 'kind' | 'refused' | 'suspect'>

export interface Fold {
  index: RecordIndex
  bytes: Bytes
  isSeen: (record: number) => boolean
  /**
   * Whether a rewind to a missing message clears the conversation, as in the agent. If false, such a record
   * is skipped.
   */
  clearsWhenDangling: boolean
}

/** Ids are numbers here: only their equality matters. */
export class LogConversation {
  /** Rewind records whose target did not exist. */
  readonly dangling: number[] = []
  readonly #fold: Fold
  readonly #results: Map<number, number[]>
  readonly #entries = new Map<number, Entry>()
  /**
   * The last record that holds only this message. It still has the details that a list leaves out, such as the
   * results of calls.
   */
  readonly #own = new Map<number, number>()
  /** Which message gives a result that several hold: the one that held it first since the last list. */
  readonly #owners = new Map<number, number>()

  constructor(fold: Fold) {
    const { index, isSeen } = fold
    this.#fold = fold
    this.#results = resultsByRecord(index)
    const list = lastList(fold)
    for (let record = 0; record < list; record++) if (isSeen(record)) this.#noteOwn(record)
    for (let record = list; record < index.length; record++) if (isSeen(record)) this.#apply(record)
  }

  /** The records of the remaining messages. A list appears once for each of its messages. */
  messages(): number[] {
    return [...this.#talk()].map(({ record }) => record)
  }

  /** The records of messages that are shown but not sent again. */
  notSent(): number[] {
    return [...this.#talk()].filter(({ isNotSent }) => isNotSent).map(({ record }) => record)
  }

  /** The records of messages that the agent fails on. */
  fatal(): number[] {
    return [...this.#entries.values()].filter(({ isFatal }) => isFatal).map(({ record }) => record)
  }

  *#talk(): Generator<Entry, void, void> {
    for (const [key, entry] of this.#entries)
      if (entry.isTalk && !(entry.isTool && this.#isRepeat(key, entry))) yield entry
  }

  #isRepeat(key: number, { results }: Entry): boolean {
    const isHeldByOther = (result: number): boolean => {
      const owner = this.#owners.get(result)
      return owner !== undefined && owner !== key && this.#entries.has(owner)
    }
    return results.length > 0 && results.every(isHeldByOther)
  }

  #apply(record: number): void {
    const { index } = this.#fold
    const kind = index.kind(record)
    if (kind === 'boundary') this.#replace(record)
    else if (kind === 'rewind') this.#rewind(record)
    else if (kind === 'header' && index.isMeta(record)) this.#putListed(record)
    else if (isMessage(kind)) {
      this.#noteOwn(record)
      const facts = { kind, refused: index.isRefused(record), suspect: index.isSuspect(record) }
      this.#put(index.group(record), record, facts, this.#results.get(record) ?? [])
    }
  }

  #noteOwn(record: number): void {
    const { index } = this.#fold
    const key = index.group(record)
    if (key !== undefined && isMessage(index.kind(record))) this.#own.set(key, record)
  }

  #put(key: number | undefined, record: number, { kind, refused, suspect }: Held, results: readonly number[]): void {
    if (key === undefined) return
    const own = this.#own.get(key)
    const held = own === undefined ? [] : (this.#results.get(own) ?? [])
    for (const result of [...held, ...results]) if (!this.#owners.has(result)) this.#owners.set(result, key)
    this.#entries.set(key, {
      record,
      isTalk: kind !== 'system',
      isTool: kind === 'attachment',
      isNotSent: refused === true,
      isFatal: suspect === true,
      results,
    })
  }

  #replace(record: number): void {
    this.#entries.clear()
    this.#owners.clear()
    this.#putListed(record)
  }

  #putListed(record: number): void {
    const { index } = this.#fold
    for (const message of this.#listedIn(record)) {
      const id = asString(message['id'])
      if (id === undefined) continue
      const facts = describeMessage(message)
      const results = (facts.results ?? []).map(result => index.keyOf(result))
      this.#put(index.keyOf(id), record, facts, results)
    }
  }

  #listedIn(record: number): Json[] {
    const { index, bytes } = this.#fold
    const value = parseObject(bytes.range(index.start(record), index.end(record)))
    return value === undefined ? [] : listedMessages(value).flatMap((message): Json[] => [asObject(message) ?? {}])
  }

  #rewind(record: number): void {
    const { index } = this.#fold
    const key = index.keyOf(index.target(record) ?? '')
    if (!this.#entries.has(key)) {
      this.dangling.push(record)
      if (this.#fold.clearsWhenDangling) this.#entries.clear()
      return
    }
    let isBehind = false
    for (const other of this.#entries.keys()) {
      isBehind ||= other === key
      if (isBehind) this.#entries.delete(other)
    }
  }
}

function isMessage(kind: RecordFacts['kind']): boolean {
  return kind === 'talk' || kind === 'attachment' || kind === 'system'
}

/** A list replaces everything before it. */
export function lastList({ index, isSeen }: Pick<Fold, 'index' | 'isSeen'>): number {
  for (let record = index.length - 1; record > 0; record--)
    if (index.kind(record) === 'boundary' && isSeen(record)) return record
  return 0
}

function resultsByRecord(index: RecordIndex): Map<number, number[]> {
  const byRecord = new Map<number, number[]>()
  index.eachTool((record, isResult, key) => {
    if (!isResult) return
    const known = byRecord.get(record)
    if (known === undefined) byRecord.set(record, [key])
    else known.push(key)
  })
  return byRecord
}
