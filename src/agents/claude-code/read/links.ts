// The links of a whole file in little memory: a session of a gigabyte has half a million records.
import { crc32 } from 'node:zlib'
import { plainString, type Span } from '../../../bytes/json.ts'
import { type FieldNames, fieldNames, skimFields } from '../../../bytes/skim.ts'
import { withoutBlanks } from '../../../bytes/text.ts'
import { Findings } from '../../../model/finding.ts'
import { NONE } from '../../../repair/records/record-index.ts'
import type { LogRecord, RecordLog } from '../../stores/json-lines.ts'
import { asText, type Json } from '../../stores/values.ts'
import { groupOf, isTalk } from './messages.ts'

/** What the chain needs to know about one record. */
export interface Link {
  /** Offset of the record. */
  start: number
  uuid: string
  parent: string | undefined
  /** The previous record of the conversation, according to a compaction boundary. */
  logicalParent: string | undefined
  sidechain: boolean
  /** Milliseconds since 1970; NaN where it has none. */
  time: number
  /** `message.id`: several lines with the same one are one message of the model. */
  group: string | undefined
  isResult: boolean
  isTalk: boolean
  /**
   * Over all bytes of the record but blanks around it: a record that was written twice is not a later version of
   * itself.
   */
  checksum: number
}

const SIDECHAIN = 1
const RESULT = 2
const TALK = 4
/** The record does not count: a later version has the same uuid, or the same bytes stood earlier. */
const SUPERSEDED = 8

export class Links {
  readonly #starts: number[] = []
  readonly #uuids: string[] = []
  readonly #parents: number[] = []
  readonly #flags: number[] = []
  readonly #checksums: number[] = []
  readonly #times: number[] = []
  readonly #groups: number[] = []
  readonly #byUuid = new Map<string, number>()
  readonly #groupNumbers = new Map<string, number>()
  readonly #logicalParents = new Map<number, string>()
  /** Parents that had not been met when their child was: later in the file, or missing. */
  readonly #unmet = new Map<number, string>()

  get length(): number {
    return this.#starts.length
  }

  add(link: Link): void {
    const index = this.length
    const before = this.#byUuid.get(link.uuid)
    const isRepeat = before !== undefined && this.#checksums[before] === link.checksum
    if (before !== undefined && !isRepeat) this.#flags[before] = (this.#flags[before] ?? 0) | SUPERSEDED
    if (!isRepeat) this.#byUuid.set(link.uuid, index)
    this.#checksums.push(link.checksum)
    this.#times.push(link.time)
    this.#starts.push(link.start)
    this.#uuids.push(link.uuid)
    const kind = (link.sidechain ? SIDECHAIN : 0) | (link.isResult ? RESULT : 0) | (link.isTalk ? TALK : 0)
    this.#flags.push(isRepeat ? kind | SUPERSEDED : kind)
    this.#groups.push(link.group === undefined ? NONE : this.#groupNumber(link.group))
    const parent = link.parent === undefined ? undefined : this.#byUuid.get(link.parent)
    this.#parents.push(parent ?? NONE)
    if (parent === undefined && link.parent !== undefined) this.#unmet.set(index, link.parent)
    if (link.logicalParent !== undefined) this.#logicalParents.set(index, link.logicalParent)
  }

  start(index: number): number {
    return this.#starts[index] ?? NONE
  }

  uuid(index: number): string {
    return this.#uuids[index] ?? ''
  }

  has(uuid: string): boolean {
    return this.#byUuid.has(uuid)
  }

  /** The parent in its last version, if it is in the file. Otherwise NONE. */
  parent(index: number): number {
    const met = this.#parents[index] ?? NONE
    const unmet = met === NONE ? this.#unmet.get(index) : this.isSuperseded(met) ? this.#uuids[met] : undefined
    return unmet === undefined ? met : this.#find(unmet)
  }

  logicalParent(index: number): number {
    const uuid = this.#logicalParents.get(index)
    return uuid === undefined ? NONE : this.#find(uuid)
  }

  group(index: number): number {
    return this.#groups[index] ?? NONE
  }

  isSidechain(index: number): boolean {
    return this.#has(index, SIDECHAIN)
  }

  time(index: number): number {
    return this.#times[index] ?? Number.NaN
  }

  isResult(index: number): boolean {
    return this.#has(index, RESULT)
  }

  isTalk(index: number): boolean {
    return this.#has(index, TALK)
  }

  isSuperseded(index: number): boolean {
    return this.#has(index, SUPERSEDED)
  }

  /** Records whose parent is not among the records read. */
  *orphans(): Generator<{ index: number; parent: string; group: string | undefined }, void, void> {
    const names = [...this.#groupNumbers.keys()]
    for (const [index, parent] of this.#unmet)
      if (!this.#byUuid.has(parent)) yield { index, parent, group: names[this.group(index)] }
  }

  lastUuids(count: number): string[] {
    return this.#uuids.slice(-count)
  }

  #find(uuid: string): number {
    return this.#byUuid.get(uuid) ?? NONE
  }

  #has(index: number, flag: number): boolean {
    return ((this.#flags[index] ?? 0) & flag) !== 0
  }

  #groupNumber(group: string): number {
    const known = this.#groupNumbers.get(group)
    if (known !== undefined) return known
    this.#groupNumbers.set(group, this.#groupNumbers.size)
    return this.#groupNumbers.size - 1
  }
}

// The first pass over a file that is not plainly linear, where the kernel of the scanner does not prove every line:
// collects the links of its records from their bytes.

const TOOL_RESULT = Buffer.from('"tool_result"')

/** Reports no damage: the second pass, which parses the records, does. */
export function indexLinks(log: RecordLog): Links {
  const links = new Links()
  for (const record of log.records(new Findings(), skimRecord)) {
    const link = linkOf(record)
    if (link !== undefined) links.add(link)
  }
  return links
}

function linkOf({ value: record, bytes, at }: LogRecord): Link | undefined {
  const uuid = asText(record['uuid'])
  // A snapshot's `messageId` equals a record's uuid, but it is not a record of the chain.
  if (uuid === undefined) return undefined
  return {
    start: at.start,
    uuid,
    parent: asText(record['parentUuid']),
    logicalParent: asText(record['logicalParentUuid']),
    sidechain: record['isSidechain'] === true,
    time: Date.parse(asText(record['timestamp']) ?? ''),
    group: groupOf(record),
    isResult: record['type'] === 'user' && holdsResult(bytes),
    isTalk: isTalk(record),
    checksum: crc32(withoutBlanks(bytes)),
  }
}

/** In a text the quotes would be escaped, so this matches only a type. */
export function holdsResult(bytes: Buffer): boolean {
  return bytes.includes(TOOL_RESULT)
}

// The link fields of a record, taken from its bytes for the first pass. Only these few fields are parsed,
// because a record can be large.

const STRINGS = ['type', 'uuid', 'parentUuid', 'logicalParentUuid', 'timestamp']
const NAMES = fieldNames(...STRINGS, 'isSidechain', 'message', 'attachment')
const SIDECHAIN_FIELD = STRINGS.length
const MESSAGE_FIELD = SIDECHAIN_FIELD + 1
const ATTACHMENT_FIELD = MESSAGE_FIELD + 1
const ID = fieldNames('id')
const TYPE = fieldNames('type')
const LOWER_T = 0x74

/**
 * The record with only its link fields. Undefined if the bytes are not one record; the caller then parses
 * them fully.
 */
export function skimRecord(bytes: Buffer): Json | undefined {
  const spans = skimFields(bytes, NAMES)
  if (spans === undefined) return undefined
  const record: Json = {}
  for (const [index, name] of STRINGS.entries()) record[name] = plainString(bytes, spans[index])
  record['isSidechain'] = bytes[spans[SIDECHAIN_FIELD]?.start ?? -1] === LOWER_T
  if (record['type'] === 'assistant') record['message'] = { id: innerString(bytes, spans[MESSAGE_FIELD], ID) }
  if (record['type'] === 'attachment')
    record['attachment'] = { type: innerString(bytes, spans[ATTACHMENT_FIELD], TYPE) }
  return record
}

function innerString(bytes: Buffer, outer: Span | undefined, name: FieldNames): string | undefined {
  const spans = outer === undefined ? undefined : skimFields(bytes, name, outer.start, outer.end)
  return plainString(bytes, spans?.[0])
}
