// The records of one log in little memory: a session of two gigabytes has a million of them. Columns of numbers in place of objects.
import { Column, HashTable, hashOf } from './columns.ts'

/** What a resume makes of a record. `talk` is what the user or the model said; `progress` is shown while working and never sent. */
export const RECORD_KINDS = [
  'talk',
  'system',
  'attachment',
  'progress',
  'boundary',
  'header',
  'rewind',
  'change',
  'other',
] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

/** What the agent's folder says of one record. */
export interface RecordFacts {
  kind: RecordKind
  id?: string | undefined
  /** `null` where the record says that it is a root; absent where it has no such field. */
  parent?: string | null | undefined
  sidechain?: boolean | undefined
  role?: 'user' | 'assistant' | undefined
  /** Several records with the same group are one message of the model. */
  group?: string | undefined
  /** Milliseconds since 1970. */
  time?: number | undefined
  /** Ids of the tool calls in it, and of the calls it has the results of. */
  calls?: readonly string[] | undefined
  results?: readonly string[] | undefined
  /** Its content may be of a kind that the model's API refuses: worth a close look. */
  suspect?: boolean | undefined
  /** It holds what the model thought to itself, and nothing else. */
  onlyThinking?: boolean | undefined
  /** For a record that takes others back: the first of them. */
  target?: string | undefined
  /** The version of the agent that wrote it. */
  version?: string | undefined
  /** Put in by the agent itself. */
  meta?: boolean | undefined
}

export const NONE = -1

/** The number by which `group` and `tools` know an id. */
export function keyOf(id: string): number {
  const { a, b } = hashOf(id)
  return keyFrom(a, b)
}

/** As much of both halves of a hash as fits into a number. */
function keyFrom(a: number, b: number): number {
  return a * 0x200000 + (b >>> 11)
}

const WHOLE = 1
const SIDECHAIN = 2
const USER = 4
const ASSISTANT = 8
const SUSPECT = 16
const META = 32
const SUPERSEDED = 64
const NAMES_PARENT = 128
const HAS_ID = 256
const HAS_GROUP = 512
const ONLY_THINKING = 1024

export class RecordIndex {
  readonly #starts = new Column(Float64Array)
  readonly #ends = new Column(Float64Array)
  readonly #flags = new Column(Uint16Array)
  readonly #kinds = new Column(Uint8Array)
  readonly #ids = new Column(Int32Array, 2)
  readonly #parents = new Column(Int32Array, 2)
  readonly #groups = new Column(Int32Array, 2)
  readonly #times = new Column(Float64Array)
  readonly #byId = new HashTable(this.#ids)
  /** Calls and results, in the order of the file: record, then the hash of the id; a result is marked by ~record. */
  readonly #tools = new Column(Int32Array, 3)
  readonly #targets = new Map<number, string>()
  /** The version of the agent in the last record that says one. */
  version: string | undefined

  get length(): number {
    return this.#starts.length
  }

  /** `isWhole`: it stands alone on its line, so that the agent itself can read it. */
  add(start: number, end: number, isWhole: boolean, facts: RecordFacts): void {
    const index = this.length
    const id = facts.id === undefined ? undefined : hashOf(facts.id)
    const before = id === undefined ? NONE : this.#byId.find(id.a, id.b)
    if (before !== NONE) this.#flags.set(before, this.#flags.get(before) | SUPERSEDED)
    this.#starts.push(start)
    this.#ends.push(end)
    this.#flags.push(flagsOf(isWhole, facts))
    this.#kinds.push(RECORD_KINDS.indexOf(facts.kind))
    this.#times.push(facts.time ?? Number.NaN)
    this.#ids.push(id?.a ?? 0, id?.b ?? 0)
    if (id !== undefined) this.#byId.set(id.a, id.b, index)
    pushHash(this.#parents, facts.parent ?? undefined)
    pushHash(this.#groups, facts.group)
    for (const call of facts.calls ?? []) this.#addTool(index, call)
    for (const result of facts.results ?? []) this.#addTool(~index, result)
    if (facts.target !== undefined) this.#targets.set(index, facts.target)
    if (facts.version !== undefined) this.version = facts.version
  }

  start(index: number): number {
    return this.#starts.get(index)
  }

  end(index: number): number {
    return this.#ends.get(index)
  }

  kind(index: number): RecordKind {
    return RECORD_KINDS[this.#kinds.get(index)] ?? 'other'
  }

  role(index: number): 'user' | 'assistant' | undefined {
    return this.#has(index, USER) ? 'user' : this.#has(index, ASSISTANT) ? 'assistant' : undefined
  }

  /** NaN where the record has none. */
  time(index: number): number {
    return this.#times.get(index)
  }

  isWhole(index: number): boolean {
    return this.#has(index, WHOLE)
  }

  isSidechain(index: number): boolean {
    return this.#has(index, SIDECHAIN)
  }

  isSuspect(index: number): boolean {
    return this.#has(index, SUSPECT)
  }

  isOnlyThinking(index: number): boolean {
    return this.#has(index, ONLY_THINKING)
  }

  isMeta(index: number): boolean {
    return this.#has(index, META)
  }

  hasId(index: number): boolean {
    return this.#has(index, HAS_ID)
  }

  /** Written again later under the same id: the last one counts. */
  isSuperseded(index: number): boolean {
    return this.#has(index, SUPERSEDED)
  }

  /** The last record with this id, or NONE. */
  find(id: string): number {
    const { a, b } = hashOf(id)
    return this.#byId.find(a, b)
  }

  namesParent(index: number): boolean {
    return this.#has(index, NAMES_PARENT)
  }

  /** The record it names as its parent, wherever in the file that is; NONE for a root and for a parent that is nowhere. */
  parent(index: number): number {
    if (!this.#has(index, NAMES_PARENT)) return NONE
    return this.#byId.find(this.#parents.get(index, 0), this.#parents.get(index, 1))
  }

  isOrphan(index: number): boolean {
    return this.namesParent(index) && this.parent(index) === NONE
  }

  /** A number that is equal for records of the same group, and undefined where there is none. */
  group(index: number): number | undefined {
    if (!this.#has(index, HAS_GROUP)) return undefined
    return keyFrom(this.#groups.get(index, 0), this.#groups.get(index, 1))
  }

  target(index: number): string | undefined {
    return this.#targets.get(index)
  }

  /** All calls and results in the order of the file. `key` is equal for a call and its result. */
  *tools(): Generator<{ record: number; isResult: boolean; key: number }, void, void> {
    for (let index = 0; index < this.#tools.length; index++) {
      const record = this.#tools.get(index, 0)
      const key = keyFrom(this.#tools.get(index, 1), this.#tools.get(index, 2))
      yield { record: record < 0 ? ~record : record, isResult: record < 0, key }
    }
  }

  /** As the agent itself sees the file: records that share a line with something else are not there for it, unless `isRead` says so. */
  onlyWhole(isRead: (index: number) => boolean = () => false): RecordIndex {
    const whole = new RecordIndex()
    const moved = new Map<number, number>()
    for (let index = 0; index < this.length; index++) {
      if (!this.isWhole(index) && !isRead(index)) continue
      moved.set(index, whole.length)
      whole.#copy(this, index)
    }
    for (let index = 0; index < this.#tools.length; index++) {
      const record = this.#tools.get(index, 0)
      const to = moved.get(record < 0 ? ~record : record)
      if (to !== undefined)
        whole.#tools.push(record < 0 ? ~to : to, this.#tools.get(index, 1), this.#tools.get(index, 2))
    }
    for (const [index, target] of this.#targets) {
      const to = moved.get(index)
      if (to !== undefined) whole.#targets.set(to, target)
    }
    whole.version = this.version
    return whole
  }

  #copy(from: RecordIndex, index: number): void {
    const own = this.length
    const [a, b] = [from.#ids.get(index, 0), from.#ids.get(index, 1)]
    const hasId = from.hasId(index)
    const before = hasId ? this.#byId.find(a, b) : NONE
    if (before !== NONE) this.#flags.set(before, this.#flags.get(before) | SUPERSEDED)
    this.#starts.push(from.start(index))
    this.#ends.push(from.end(index))
    this.#flags.push(from.#flags.get(index) & ~SUPERSEDED)
    this.#kinds.push(from.#kinds.get(index))
    this.#times.push(from.time(index))
    this.#ids.push(a, b)
    if (hasId) this.#byId.set(a, b, own)
    this.#parents.push(from.#parents.get(index, 0), from.#parents.get(index, 1))
    this.#groups.push(from.#groups.get(index, 0), from.#groups.get(index, 1))
  }

  #addTool(record: number, id: string): void {
    const { a, b } = hashOf(id)
    this.#tools.push(record, a, b)
  }

  #has(index: number, flag: number): boolean {
    return (this.#flags.get(index) & flag) !== 0
  }
}

function pushHash(column: Column, id: string | undefined): void {
  if (id === undefined) column.push(0, 0)
  else {
    const { a, b } = hashOf(id)
    column.push(a, b)
  }
}

function flagsOf(isWhole: boolean, facts: RecordFacts): number {
  return (
    (isWhole ? WHOLE : 0) |
    (facts.sidechain === true ? SIDECHAIN : 0) |
    (facts.role === 'user' ? USER : 0) |
    (facts.role === 'assistant' ? ASSISTANT : 0) |
    (facts.suspect === true ? SUSPECT : 0) |
    (facts.onlyThinking === true ? ONLY_THINKING : 0) |
    (facts.meta === true ? META : 0) |
    (typeof facts.parent === 'string' ? NAMES_PARENT : 0) |
    (facts.id === undefined ? 0 : HAS_ID) |
    (facts.group === undefined ? 0 : HAS_GROUP)
  )
}
