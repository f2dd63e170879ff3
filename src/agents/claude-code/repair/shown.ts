// The messages that the reader shows, from the record index: a damaged log need not be read for them. The few facts
// that the index lacks are taken from the records themselves.
import { parseObject } from '../../../bytes/json.ts'
import type { RecordIndex } from '../../../repair/records/record-index.ts'
import {
  ASSISTANT,
  HAS_ID,
  KIND,
  kindFlag,
  META,
  NONE,
  SIDECHAIN,
  SUPERSEDED,
  UNUSED_ID,
  USER,
} from '../../../repair/records/record-index.ts'
import type { Bytes, LogView, ShownMessages } from '../../repair.ts'
import type { Json } from '../../stores/values.ts'
import { asObject, asText } from '../../stores/values.ts'
import type { ChainLinks } from '../read/chain.ts'
import { findActive } from '../read/chain.ts'
import { isLinear } from '../read/linear.ts'
import { holdsResult, skimRecord } from '../read/links.ts'
import { isTalk, isTyped } from '../read/messages.ts'

const [TALK, ATTACHMENT] = [kindFlag('talk'), kindFlag('attachment')]

/** Undefined where records repeat an id, or have one that the index does not know: then the log has to be read. */
export function findShown({ index, bytes }: LogView): ShownMessages | undefined {
  if (index.flags.some(flags => (flags & (SUPERSEDED | UNUSED_ID)) !== 0)) return undefined
  const links = new IndexLinks(index, bytes)
  const isActive = findActive(links)
  // A record without an id is in no chain and always shown.
  const isHidden = new Uint8Array(index.length)
  for (let link = 0; link < links.length; link++) if (isActive[link] === 0) isHidden[links.record(link)] = 1
  const isMessage = (record: number): boolean => isConversation(index, bytes, record)
  // The reader shows all of a log that is plainly linear.
  if (isHidden.some((hidden, record) => hidden === 1 && isMessage(record)) && isLinear(chunksOf(bytes)))
    isHidden.fill(0)
  return joinLines(index, record => isHidden[record] === 0 && isMessage(record))
}

/** The links of all records with an id. */
class IndexLinks implements ChainLinks {
  readonly length: number
  readonly #index: RecordIndex
  readonly #bytes: Bytes
  readonly #flags: Uint16Array
  readonly #parents: Int32Array
  /** The link of each record, or NONE. */
  readonly #numbers: Int32Array
  readonly #records: Int32Array

  constructor(index: RecordIndex, bytes: Bytes) {
    this.#index = index
    this.#bytes = bytes
    const { flags, parents } = index
    const numbers = new Int32Array(flags.length).fill(NONE)
    const records = new Int32Array(flags.length)
    let count = 0
    for (let record = 0; record < flags.length; record++) {
      if (((flags[record] ?? 0) & HAS_ID) === 0) continue
      numbers[record] = count
      records[count++] = record
    }
    this.#flags = flags
    this.#parents = parents
    this.#numbers = numbers
    this.#records = records
    this.length = count
  }

  record(link: number): number {
    return this.#records[link] ?? NONE
  }

  isSuperseded(): boolean {
    return false
  }

  parent(link: number): number {
    return this.#numberOf(this.#parents[this.record(link)] ?? NONE)
  }

  /** Asked for where the parent does not lead on. */
  logicalParent(link: number): number {
    const uuid = asText(skimRecord(this.#bytesOf(link))?.['logicalParentUuid'])
    return uuid === undefined ? NONE : this.#numberOf(this.#index.find(uuid))
  }

  group(link: number): number {
    return this.#index.group(this.record(link)) ?? NONE
  }

  isSidechain(link: number): boolean {
    return ((this.#flags[this.record(link)] ?? 0) & SIDECHAIN) !== 0
  }

  time(link: number): number {
    return this.#index.time(this.record(link))
  }

  /** Asked for where a record is not on the chain. */
  isResult(link: number): boolean {
    const record = this.record(link)
    const isUser = this.#index.kind(record) === 'talk' && this.#index.role(record) === 'user'
    return isUser && holdsResult(this.#bytesOf(link))
  }

  isTalk(link: number): boolean {
    const kind = this.#index.kind(this.record(link))
    return kind === 'talk' || (kind === 'attachment' && isTalk(skimRecord(this.#bytesOf(link)) ?? {}))
  }

  #bytesOf(link: number): Buffer {
    const record = this.record(link)
    return this.#bytes.range(this.#index.start(record), this.#index.end(record))
  }

  #numberOf(record: number): number {
    return record === NONE ? NONE : (this.#numbers[record] ?? NONE)
  }
}

/** Whether the reader makes a message of the person or of the model from it. */
function isConversation(index: RecordIndex, bytes: Bytes, record: number): boolean {
  const flags = index.flags[record] ?? 0
  if ((flags & KIND) === TALK) return (flags & (USER | ASSISTANT)) === ASSISTANT || (flags & META) === 0
  return (
    (flags & (KIND | USER)) === (ATTACHMENT | USER) &&
    isTypedPrompt(parseObject(bytes.range(index.start(record), index.end(record))))
  )
}

function isTypedPrompt(record: Json | undefined): boolean {
  const attachment = asObject(record?.['attachment'])
  return attachment !== undefined && record !== undefined && isTalk(record) && isTyped(attachment)
}

/** Lines with the same group are one message, up to the next message of the model. */
function joinLines(index: RecordIndex, isMessage: (record: number) => boolean): ShownMessages {
  const starts: number[] = []
  const ends: number[] = []
  let group: number | undefined
  let open = NONE
  const { length } = index
  for (let record = 0; record < length; record++) {
    if (!isMessage(record)) continue
    const own = index.group(record)
    if (own !== undefined && own === group) {
      ends[open] = index.end(record)
      continue
    }
    if (own !== undefined) {
      group = own
      open = starts.length
    }
    starts.push(index.start(record))
    ends.push(index.end(record))
  }
  return { starts: Float64Array.from(starts), ends: Float64Array.from(ends) }
}

const CHUNK_BYTES = 256 * 1024

function* chunksOf({ size, range }: Bytes): Generator<Buffer, void, void> {
  for (let start = 0; start < size; start += CHUNK_BYTES) yield range(start, Math.min(size, start + CHUNK_BYTES))
}
