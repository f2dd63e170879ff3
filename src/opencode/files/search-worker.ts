// The thread of a search.
import { RethreadError } from '../../model/errors.ts'
import { serveCalls } from '../../threads/serve.ts'
import { type FolderSearch, type FolderSearchResult, searchFolder } from './search-folder.ts'

const calls = { search }
export type FolderSearchCalls = typeof calls

serveCalls(calls)

async function search(wanted: FolderSearch): Promise<FolderSearchResult> {
  try {
    return await searchFolder(wanted)
  } catch (error) {
    throw error instanceof RethreadError ? error : fault(error)
  }
}

function fault(error: unknown): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `The search failed because of a fault in rethread: ${error instanceof Error ? error.message : String(error)}.`,
    hint: 'Restart the server with --log-level debug and report what the log says.',
  })
}
