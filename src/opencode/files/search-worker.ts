// The thread of one search.
import { parentPort, workerData } from 'node:worker_threads'
import type { ErrorDetails } from '../../model/errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { type Search, type SearchResult, searchFolder } from './search-folder.ts'

export type SearchAnswer = { type: 'found'; result: SearchResult } | { type: 'failed'; error: ErrorDetails }

parentPort?.postMessage(await answer(workerData as Search))

async function answer(search: Search): Promise<SearchAnswer> {
  try {
    return { type: 'found', result: await searchFolder(search) }
  } catch (error) {
    return { type: 'failed', error: detailsOf(error) }
  }
}

function detailsOf(error: unknown): ErrorDetails {
  if (error instanceof RethreadError) {
    const { code, message: text, hint, path } = error
    return { code, text, hint, ...(path === undefined ? {} : { path }) }
  }
  return {
    code: 'fault',
    text: `The search failed because of a fault in rethread: ${error instanceof Error ? error.message : String(error)}.`,
    hint: 'Restart the server with --log-level debug and report what the log says.',
  }
}
