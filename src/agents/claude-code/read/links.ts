// The links of a whole file in little memory: a session of a gigabyte has half a million records.

/** What the chain needs to know about one record. */
export interface Link {
  /** Offset of the record. */
  start: number
  uuid: string
  parent: string | undefined
  /** The previous record of the conversation, according to a compaction boundary. */
  logicalParent: string | undefined
  sidechain: boolean
  /** `message.id`: several lines with the same one are one message of the model. */
  group: string | undefined
  isResult: boolean
  isTalk: boolean
  /** Over all bytes of the record: a record that was written twice is not a later version of itself. */
  checksum: number
}

export const NONE = -1

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
    const unmet = met === NONE ? this.#unmet.get(index) : this.#isSuperseded(met) ? this.#uuids[met] : undefined
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

  isResult(index: number): boolean {
    return this.#has(index, RESULT)
  }

  isTalk(index: number): boolean {
    return this.#has(index, TALK)
  }

  /** The records that count, in the order of the file. */
  *indexes(): Generator<number, void, void> {
    for (let index = 0; index < this.length; index++) if (!this.#isSuperseded(index)) yield index
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

  #isSuperseded(index: number): boolean {
    return this.#has(index, SUPERSEDED)
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
