// What all databases that are read in parts share. Every part is read from the state in which the database was planned:
// each thread holds a snapshot of it. That of the thread that planned is right. Those of others count only if the
// database had not changed when they were there already.
import { threadId } from 'node:worker_threads'
import { identityOf, statPath } from '../../disk/files/read.ts'
import { fromSqliteError, sqliteCode } from '../../disk/sqlite/errors.ts'
import type { Database } from '../../disk/sqlite/read-database.ts'
import type { JoinedSnapshot, SharedMode, SharedSnapshot } from '../../disk/sqlite/shared-snapshot.ts'
import { joinSnapshot, openSnapshot } from '../../disk/sqlite/shared-snapshot.ts'
import type { Message } from '../../model/message.ts'
import type { ReadingEnd } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { PartEnd, PartJoiner, PartPlan, PartSizes, StoreParts, TrueState } from '../parts.ts'
import { GrowingPlan, PART_BYTES } from './part-log.ts'
import { sessionChanged } from './session-gone.ts'

/** A shorter session of a large database is read in one: starting a thread takes longer than it saves. */
export const WORTH_BYTES = 8 * PART_BYTES

export interface RowParts<Known, Collected> {
  /** What has to be known to read each part: none for a session that has to be read in one. */
  cut(database: Database, session: SessionRef, sizes: PartSizes | undefined): Iterable<CutPart<Known>>
  /** Undefined as for `StoreParts`. No message may depend on those of other parts. */
  read(database: Database, session: SessionRef, known: Known): Generator<Message, Collected | undefined, void>
  end(database: Database, session: SessionRef, parts: readonly ReadPart<Known, Collected>[]): ReadingEnd
}

export interface CutPart<Known> {
  known: Known
  messages: number
}

export interface ReadPart<Known, Collected> {
  known: Known
  collected: Collected
}

interface PlannedRows<Known> {
  mode: SharedMode
  of: Known
}

interface ReadRows<Collected> {
  /** The thread that read them. */
  reader: number
  ids: string[]
  of: Collected
}

/** The thread that planned. */
const PLANNER = -1

export function makeRowParts<Known, Collected>(store: RowParts<Known, Collected>): StoreParts {
  const planned = new WeakMap<PartPlan, SharedSnapshot>()
  const joined = new WeakMap<PartPlan, JoinedSnapshot>()

  function plan(session: SessionRef, snapshot: SharedSnapshot, growing: GrowingPlan, sizes: PartSizes | undefined) {
    const { database, mode } = snapshot
    let start = 0
    for (const { known, messages } of store.cut(database, session, sizes)) {
      const part: PlannedRows<Known> = { mode, of: known }
      growing.add({ warmUp: start, start, end: start + messages }, part)
      start += messages
    }
    return growing.plan.parts.length === 0 ? undefined : growing.plan
  }

  function databaseOf(plan: PartPlan, session: SessionRef, mode: SharedMode): Database {
    const snapshot = planned.get(plan) ?? joined.get(plan) ?? joinSnapshot(session.filePath, mode)
    if (!planned.has(plan)) joined.set(plan, snapshot)
    return snapshot.database
  }

  return {
    plan(session, sizes, onPart) {
      let snapshot: SharedSnapshot | undefined
      let made: PartPlan | undefined
      try {
        snapshot = openSnapshot(session.filePath, session.storeRoot)
        if (snapshot === undefined) return undefined
        const growing = new GrowingPlan({ identity: identityOf(statPath(session.filePath)) }, onPart)
        made = plan(session, snapshot, growing, sizes)
        if (made !== undefined) planned.set(made, snapshot)
        return made
      } catch (error) {
        return readInOne(error)
      } finally {
        if (made === undefined) snapshot?.close()
      }
    },

    *read(session, plan, part, from) {
      const known = plan.parts[part]?.known as PlannedRows<Known> | undefined
      const snapshot = planned.get(plan)
      if (known === undefined) return undefined
      if (from !== undefined && hasChanged(snapshot)) return changed(session, part)
      const met = from?.met as ReadonlySet<string> | undefined
      const ids = new Set<string>()
      let reading: Generator<Message, Collected | undefined, void> | undefined
      try {
        reading = store.read(databaseOf(plan, session, known.mode), session, known.of)
        let step = reading.next()
        for (; !step.done; step = reading.next()) {
          const { id } = step.value
          // A reading in one gives it once.
          if (ids.has(id) || met?.has(id) === true) return undefined
          ids.add(id)
          yield step.value
        }
        const reader = snapshot === undefined ? threadId : PLANNER
        const collected = step.value && ({ reader, ids: [...ids], of: step.value } satisfies ReadRows<Collected>)
        return collected && { before: '', after: '', collected }
      } catch (error) {
        if (from !== undefined && hasChanged(snapshot)) return changed(session, part)
        return readInOne(error)
      } finally {
        reading?.return(undefined)
      }
    },

    join(session, plan) {
      const snapshot = planned.get(plan)
      if (snapshot === undefined) throw new Error('The parts were planned in another thread.')
      return new RowJoiner(store, session, plan, snapshot)
    },

    close(plan) {
      for (const snapshots of [planned, joined]) {
        snapshots.get(plan)?.close()
        snapshots.delete(plan)
      }
    },
  }
}

class RowJoiner<Known, Collected> implements PartJoiner {
  readonly #store: RowParts<Known, Collected>
  readonly #session: SessionRef
  readonly #plan: PartPlan
  readonly #snapshot: SharedSnapshot
  /** The readers whose snapshot is that of this thread. */
  readonly #proved = new Set([PLANNER])
  readonly #ids = new Set<string>()
  readonly #parts: ReadPart<Known, Collected>[] = []

  constructor(store: RowParts<Known, Collected>, session: SessionRef, plan: PartPlan, snapshot: SharedSnapshot) {
    this.#store = store
    this.#session = session
    this.#plan = plan
    this.#snapshot = snapshot
  }

  accepts({ collected }: PartEnd): boolean {
    const { reader, ids } = collected as ReadRows<Collected>
    if (hasChanged(this.#snapshot) || !this.#isProved(reader)) return false
    return !ids.some(id => this.#ids.has(id))
  }

  #isProved(reader: number): boolean {
    if (this.#proved.has(reader)) return true
    if (!this.#snapshot.isUnchanged()) return false
    this.#proved.add(reader)
    return true
  }

  add({ collected }: PartEnd): boolean {
    const { ids, of } = collected as ReadRows<Collected>
    for (const id of ids) this.#ids.add(id)
    const { known } = this.#plan.parts[this.#parts.length] as { known: PlannedRows<Known> }
    this.#parts.push({ known: known.of, collected: of })
    return true
  }

  state(): TrueState {
    return { state: '', met: this.#ids }
  }

  end(): ReadingEnd {
    const { database } = this.#snapshot
    try {
      const end = this.#store.end(database, this.#session, this.#parts)
      if (!hasChanged(this.#snapshot)) return end
    } catch (error) {
      if (!hasChanged(this.#snapshot)) throw fromSqliteError(error, database.path)
    }
    throw sessionChanged(this.#session)
  }

  close(): void {}
}

/** Whether the snapshot is no longer what it was. */
function hasChanged(snapshot: SharedSnapshot | undefined): boolean {
  return snapshot !== undefined && !snapshot.isLocked && !snapshot.isUnchanged()
}

/** What was printed before does not fit to the database any more. */
function changed(session: SessionRef, part: number): undefined {
  if (part > 0) throw sessionChanged(session)
  return undefined
}

/** A lock, or damage. The reading in one waits for it or says what is wrong. */
function readInOne(error: unknown): undefined {
  if (sqliteCode(error) === undefined) throw error
  return undefined
}
