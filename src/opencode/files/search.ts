// Searches in threads, so that the server continues to answer. A
// pattern that never ends is ended with its thread.
import { RethreadError } from '../../model/errors.ts'
import { IDLE_MS, ThreadPool, workerFile } from '../../threads/pool.ts'
import { MAX_PATTERN_CHARS, MAX_SEARCHES, SEARCH_MS, SEARCH_ROOM, STUCK_MS } from './limits.ts'
import { compile, type FolderSearchResult } from './search-folder.ts'
import type { FolderSearchCalls } from './search-worker.ts'

export interface FolderSearchOptions {
  signal?: AbortSignal
  /** For tests. */
  maxMs?: number
  stuckMs?: number
}

export class Searches {
  readonly #threads = new ThreadPool<FolderSearchCalls>({
    file: workerFile(import.meta.url, 'search-worker'),
    size: MAX_SEARCHES,
    memory: SEARCH_ROOM,
    idleMs: IDLE_MS,
    abortEndsThread: true,
    died: (_, cause) => died(cause),
  })
  #running = 0

  /** Throws `timeout` where the pattern never ended, `stopped` where the client has gone. */
  async find(directory: string, pattern: string, options: FolderSearchOptions = {}): Promise<FolderSearchResult> {
    if (pattern.length > MAX_PATTERN_CHARS) throw tooLong(pattern.length)
    compile(pattern)
    if (this.#running >= MAX_SEARCHES) throw tooMany(this.#running)
    this.#running++
    try {
      return await this.#run(directory, pattern, options)
    } finally {
      this.#running--
    }
  }

  async #run(
    directory: string,
    pattern: string,
    { signal, maxMs = SEARCH_MS, stuckMs = STUCK_MS }: FolderSearchOptions,
  ): Promise<FolderSearchResult> {
    const ending = new AbortController()
    const late = setTimeout(() => ending.abort(stuck(pattern)), maxMs + stuckMs)
    const leave = (): void => ending.abort(gone())
    signal?.addEventListener('abort', leave)
    if (signal?.aborted) leave()
    try {
      return await this.#threads.call('search', { directory, pattern, maxMs }, { signal: ending.signal })
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', leave)
    }
  }
}

function tooLong(length: number): RethreadError {
  return new RethreadError({
    code: 'usage',
    text: `The pattern is ${length} characters long; ${MAX_PATTERN_CHARS} are the limit.`,
    hint: 'Search for a part of it.',
  })
}

function tooMany(running: number): RethreadError {
  return new RethreadError({
    code: 'busy',
    text: `${running} searches are under way, which is the limit.`,
    hint: 'Try again in a moment.',
  })
}

function stuck(pattern: string): RethreadError {
  return new RethreadError({
    code: 'timeout',
    text: `The pattern ${pattern} takes too long on one of the lines; the search was ended.`,
    hint: 'Nested repetitions are slow: rewrite the pattern without them.',
  })
}

function gone(): RethreadError {
  return new RethreadError({ code: 'stopped', text: 'The client has disconnected.', hint: 'Search again.' })
}

function died(cause: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `The search ended early: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hint: 'Search a smaller folder, or use a more specific pattern.',
    cause,
  })
}
