// The log is a list of changes to the conversation. This applies them, gives the resulting messages in order,
// and remembers what was dropped.

export interface HistoryEntry {
  id: string
  /** The record that wrote the message last. */
  start: number
  end: number
  /** The message's place in the list of that record. Undefined if the record is the message itself. */
  element: number | undefined
  /** The first time: a resume writes all messages again with the time of the resume. */
  time: unknown
  /** The last record that holds only this message. It has the details that a list leaves out. */
  own: OwnRecord | undefined
  isTalk: boolean
  /** Whether it holds only tool results: such a message may repeat results of others. */
  isTool: boolean
  /** The ids of its tool results. */
  results: string[]
}

export interface RecordRange {
  start: number
  end: number
}

export interface OwnRecord extends RecordRange {
  results: string[]
}

export interface Dropped {
  /** The offset of the change that dropped them. */
  by: number
  entries: HistoryEntry[]
}

export class History {
  /** How often messages were written again. */
  superseded = 0
  #order: string[] = []
  #entries = new Map<string, HistoryEntry>()
  #positions = new Map<string, number>()
  #dropped = new Map<string, { by: number; entry: HistoryEntry }>()
  /** Which message gives a result that several hold: the one that held it first. */
  #owners: Map<string, string>
  readonly #known: Set<string>

  /** `known` and `owners` are messages and results that an earlier reading gave. */
  constructor(known: string[] = [], owners: [string, string][] = []) {
    this.#known = new Set(known)
    this.#owners = new Map(owners)
  }

  /** Adds a message, or updates a known one, which keeps its first place. */
  put(entry: HistoryEntry): void {
    const before = this.#entries.get(entry.id)
    if (before !== undefined || this.#known.has(entry.id)) this.superseded++
    this.#place(entry, before ?? this.#dropped.get(entry.id)?.entry)
  }

  /** Replaces all messages. Those that are not among `entries` are dropped. */
  replace(entries: HistoryEntry[], by: number): void {
    const before = this.#entries
    const order = this.#order
    this.#entries = new Map()
    this.#positions = new Map()
    this.#order = []
    this.#owners = new Map()
    for (const entry of entries) this.#place(entry, before.get(entry.id) ?? this.#dropped.get(entry.id)?.entry)
    for (const id of order) {
      const entry = before.get(id)
      if (entry !== undefined && !this.#entries.has(id)) this.#dropped.set(id, { by, entry })
    }
  }

  /**
   * Drops the message and everything after it. Returns false and drops nothing if there is no such message.
   */
  rewind(id: string, by: number): boolean {
    const position = this.#positions.get(id)
    if (position === undefined) return false
    for (const dropped of this.#order.splice(position)) {
      const entry = this.#entries.get(dropped)
      if (entry !== undefined) this.#dropped.set(dropped, { by, entry })
      this.#entries.delete(dropped)
      this.#positions.delete(dropped)
    }
    return true
  }

  get length(): number {
    return this.#order.length
  }

  hasTalk(): boolean {
    return [...this.#entries.values()].some(({ isTalk }) => isTalk)
  }

  *entries(): Generator<HistoryEntry, void, void> {
    for (const id of this.#order) {
      const entry = this.#entries.get(id)
      if (entry !== undefined) yield entry
    }
  }

  /** Whether another message gives this result. */
  isRepeat(resultId: string, messageId: string): boolean {
    const owner = this.#owners.get(resultId)
    return owner !== undefined && owner !== messageId && (this.#entries.has(owner) || this.#known.has(owner))
  }

  /** The messages that were dropped and never came back, by the change that dropped them. */
  dropped(): Dropped[] {
    const groups = new Map<number, Dropped>()
    for (const { by, entry } of this.#dropped.values()) {
      const group = groups.get(by) ?? { by, entries: [] }
      group.entries.push(entry)
      groups.set(by, group)
    }
    return [...groups.values()]
  }

  /** The last few ids and owners, for a reading that continues from here. */
  recent(count: number): { known: string[]; owners: [string, string][] } {
    const known = [...this.#known, ...this.#order].slice(-count)
    return { known, owners: [...this.#owners].slice(-count) }
  }

  #place(entry: HistoryEntry, before: HistoryEntry | undefined): void {
    const { id } = entry
    this.#dropped.delete(id)
    if (!this.#positions.has(id)) this.#positions.set(id, this.#order.push(id) - 1)
    const own = entry.own ?? before?.own
    for (const result of [...(own?.results ?? []), ...entry.results])
      if (!this.#owners.has(result)) this.#owners.set(result, id)
    const repeats =
      entry.isTool && entry.results.length > 0 && entry.results.every(result => this.#owners.get(result) !== id)
    const isTalk = entry.isTalk && !repeats
    this.#entries.set(id, { ...entry, time: before?.time ?? entry.time, own, isTalk })
  }
}
