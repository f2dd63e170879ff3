// Brings the index up to date: reads what is new or has changed, newest first, as a stream.
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { toJson } from '../bytes/json.ts'
import type { Context } from '../catalog/context.ts'
import { findArchivedIfAny, findSessions } from '../catalog/find-all.ts'
import { readSession } from '../catalog/reading.ts'
import { holdSearchLock, isDamaged, type SearchIndex } from '../disk/search/search-index.ts'
import { RethreadError } from '../model/errors.ts'
import type { Checkpoint, ReadingEnd } from '../model/reading.ts'
import { isPartial } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import { IndexBatch, indexedKey, type SessionDraft } from './batch.ts'

export interface IndexProgress {
  /** Sessions, and bytes of session files. */
  done: number
  total: number
  bytesDone: number
  bytesTotal: number
}

export interface UpdateOptions {
  onProgress?: (progress: IndexProgress) => void
  signal?: AbortSignal
  /** Sessions beyond this many bytes are left for later. */
  maxBytes?: number
  /** Only these sessions, as they are now. The others are not even listed. */
  only?: readonly SessionRef[]
  /** The index is in memory: no other process sees it. */
  isPrivate?: boolean
}

export interface UpdateResult {
  /** Sessions that are not in the index, or not as they are now. */
  behind: number
  /** Another process is indexing. */
  isIndexedByOther: boolean
  /** Why the index could not be written. What was written before is in it. */
  failure?: RethreadError
}

/**
 * A continued reading that brings more than this is started
 * again, so that it never has to be held as a whole.
 */
const MAX_CONTINUED_CHARACTERS = 8_000_000
/** Pieces are joined after this many characters, in steps that leave room for other writers. */
const JOINED_AFTER_CHARACTERS = 4_000_000
const JOINED_PAGES = 1000
/** A progress in the index is written this often, for the other processes. */
const YIELD_EVERY = 64

export async function updateIndex(
  context: Context,
  index: SearchIndex,
  options: UpdateOptions = {},
): Promise<UpdateResult> {
  if (options.only !== undefined) return await updateSome(context, index, options, options.only)
  const found = await findSessions(context)
  const sessions = [...found.sessions, ...(await findArchivedIfAny(context, found.sessions))]
  sessions.sort((a, b) => b.updatedAt - a.updatedAt)
  // A store that could not be examined may still have its sessions.
  const unknown = new Set(found.failures.map(({ agent }) => agent))
  const plan = planOf(index, sessions, unknown)
  if (plan.pending.length === 0 && plan.gone.length === 0) return { behind: 0, isIndexedByOther: false }
  const lock = options.isPrivate === true ? { release() {} } : holdSearchLock(context.state)
  if (lock === undefined) return { behind: plan.pending.length, isIndexedByOther: true }
  try {
    // Another process may have finished meanwhile.
    return await new Updater(context, index, options).run(planOf(index, sessions, unknown))
  } catch (error) {
    if (!isOfIndex(error, index) || isDamaged(error)) throw error
    return { behind: planOf(index, sessions, unknown).pending.length, isIndexedByOther: false, failure: error }
  } finally {
    lock.release()
  }
}

/**
 * Sessions that are known to have changed, or the open one: a search in it must find what was written last.
 */
async function updateSome(
  context: Context,
  index: SearchIndex,
  options: UpdateOptions,
  sessions: readonly SessionRef[],
): Promise<UpdateResult> {
  const pending = sessions.filter(session => index.sessionByKey(indexedKey(session))?.identity !== session.identity)
  if (pending.length === 0) return { behind: 0, isIndexedByOther: false }
  const lock = holdSearchLock(context.state)
  if (lock === undefined) return { behind: pending.length, isIndexedByOther: true }
  try {
    return await new Updater(context, index, options).run({ pending, gone: [] })
  } finally {
    lock.release()
  }
}

function isOfIndex(error: unknown, index: SearchIndex): error is RethreadError {
  return error instanceof RethreadError && error.path === index.path
}

interface Plan {
  pending: SessionRef[]
  gone: number[]
}

function planOf(index: SearchIndex, sessions: readonly SessionRef[], unknown: ReadonlySet<string>): Plan {
  const known = index.identities()
  const keys = new Set<string>()
  const pending = sessions.filter(session => {
    const key = indexedKey(session)
    keys.add(key)
    return known.get(key)?.identity !== session.identity
  })
  // Every one that is known was listed, and as it is known: none is gone.
  if (keys.size - pending.length === known.size) return { pending, gone: [] }
  const gone = [...known].flatMap(([key, { id }]) =>
    keys.has(key) || unknown.has(key.slice(0, key.indexOf('\n'))) ? [] : [id],
  )
  return { pending, gone }
}

class Updater {
  readonly #context: Context
  readonly #index: SearchIndex
  readonly #options: UpdateOptions
  readonly #batch: IndexBatch
  #failed = 0

  constructor(context: Context, index: SearchIndex, options: UpdateOptions) {
    this.#context = context
    this.#index = index
    this.#options = options
    this.#batch = new IndexBatch(index)
  }

  async run({ pending, gone }: Plan): Promise<UpdateResult> {
    const { onProgress, signal, maxBytes = Number.POSITIVE_INFINITY } = this.#options
    const bytesTotal = pending.reduce((sum, session) => sum + bytesOf(session), 0)
    if (gone.length > 0)
      this.#index.write(() => {
        for (const id of gone) this.#index.removeSession(id)
      })
    let bytesDone = 0
    let done = 0
    for (const session of pending) {
      if (signal?.aborted === true || bytesDone > maxBytes) break
      onProgress?.({ done, total: pending.length, bytesDone, bytesTotal })
      if (this.#options.only === undefined) this.#batch.behind = pending.length - done + this.#failed
      await this.#add(session)
      bytesDone += bytesOf(session)
      done++
    }
    const behind = pending.length - done + this.#failed
    if (this.#options.only === undefined) this.#batch.behind = behind
    this.#batch.flush()
    await this.#joinPieces()
    onProgress?.({ done, total: pending.length, bytesDone, bytesTotal })
    return { behind, isIndexedByOther: false }
  }

  /**
   * A session that cannot be read is left out and tried again next
   * time. A failure of the index itself is thrown.
   */
  async #add(session: SessionRef): Promise<void> {
    const known = this.#index.sessionByKey(indexedKey(session))
    const checkpoint = known?.identity === '' || session.archived !== undefined ? null : (known?.checkpoint ?? null)
    try {
      const after = checkpoint === null ? undefined : (JSON.parse(checkpoint) as Checkpoint)
      if (after !== undefined && (await this.#read(session, after))) return
      await this.#read(session)
    } catch (error) {
      if (isOfIndex(error, this.#index)) throw error
      this.#failed++
      this.#context.log.debug('A session could not be indexed.', { path: session.filePath, error: String(error) })
    }
  }

  /** False where a continued reading turns out not to continue: it has to start again. */
  async #read(session: SessionRef, after?: Checkpoint): Promise<boolean> {
    const draft = this.#batch.begin(session, after !== undefined)
    const reading = readSession(this.#context, session, after === undefined ? {} : { after })
    let count = 0
    try {
      for (;;) {
        const step = await reading.next()
        if (step.done) {
          if (after !== undefined && !step.value.continued) return this.#abandon(draft)
          this.#end(draft, session, step.value)
          return true
        }
        this.#batch.add(draft, step.value)
        if (after === undefined) this.#batch.flushIfLarge()
        else if (draft.characters > MAX_CONTINUED_CHARACTERS) return this.#abandon(draft)
        if (++count % YIELD_EVERY === 0) await yieldToOthers()
        if (this.#options.signal?.aborted === true) return !this.#abandon(draft)
      }
    } catch (error) {
      this.#abandon(draft)
      throw error
    } finally {
      await reading.return(undefined as never)
    }
  }

  #abandon(draft: SessionDraft): false {
    this.#batch.drop(draft)
    return false
  }

  #end(draft: SessionDraft, session: SessionRef, end: ReadingEnd): void {
    // What was read is not what is stored now: it is read again once the lock has passed.
    const isPassing = isPartial(end) && end.error.code === 'database-busy'
    if (isPassing) this.#failed++
    const saidAt = Date.parse(end.facts.updatedAt ?? '')
    draft.end({
      updatedAt: Number.isNaN(saidAt) ? session.updatedAt : saidAt,
      identity: isPassing ? '' : session.identity,
      title: session.title ?? end.facts.title ?? null,
      project: session.project ?? end.facts.project ?? null,
      checkpoint: end.checkpoint === undefined || session.archived !== undefined ? null : toJson(end.checkpoint),
    })
    this.#batch.flushIfLarge()
  }

  async #joinPieces(): Promise<void> {
    if (this.#batch.written < JOINED_AFTER_CHARACTERS) return
    while (this.#options.signal?.aborted !== true && this.#index.join(JOINED_PAGES)) await yieldToOthers()
  }
}

function bytesOf({ ownBytes, fileSize }: SessionRef): number {
  return ownBytes ?? fileSize
}
