// Searches, each in a thread that is ended where its pattern does not end by itself. The server goes on answering meanwhile.
import { Worker } from 'node:worker_threads'
import { RethreadError } from '../../model/errors.ts'
import { MAX_PATTERN_CHARS, MAX_SEARCHES, SEARCH_MS, SEARCH_ROOM, STUCK_MS } from './limits.ts'
import { compile, type Search, type SearchResult } from './search-folder.ts'
import type { SearchAnswer } from './search-worker.ts'

export interface SearchOptions {
  signal?: AbortSignal
  /** For tests. */
  maxMs?: number
  stuckMs?: number
}

export class Searches {
  #running = 0

  /** Throws `timeout` where the pattern never ended, `stopped` where whoever asked has gone. */
  async find(directory: string, pattern: string, options: SearchOptions = {}): Promise<SearchResult> {
    if (pattern.length > MAX_PATTERN_CHARS) throw tooLong(pattern.length)
    compile(pattern)
    if (this.#running >= MAX_SEARCHES) throw tooMany(this.#running)
    this.#running++
    try {
      return await runThread({ directory, pattern, maxMs: options.maxMs ?? SEARCH_MS }, options)
    } finally {
      this.#running--
    }
  }
}

async function runThread(search: Search, { signal, stuckMs = STUCK_MS }: SearchOptions): Promise<SearchResult> {
  const worker = new Worker(workerFile(), { workerData: search, resourceLimits: SEARCH_ROOM })
  const { promise, resolve, reject } = Promise.withResolvers<SearchAnswer>()
  const leave = (): void => reject(gone())
  const late = setTimeout(() => reject(stuck(search.pattern)), (search.maxMs ?? SEARCH_MS) + stuckMs)
  worker.on('message', resolve)
  worker.on('error', cause => reject(died(cause)))
  worker.on('exit', () => reject(died('it ended without an answer')))
  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()
  try {
    const answer = await promise
    if (answer.type === 'failed') throw new RethreadError(answer.error)
    return answer.result
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', leave)
    await worker.terminate()
  }
}

/** The source beside us in a checkout; a file of the same name in the built package. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './search-worker.ts' : './search-worker.js', import.meta.url)
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
