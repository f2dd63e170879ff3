// threads/T-<uuid>.json, with nothing beside it.
import { basename } from 'node:path'
import type { Found, Location } from '../store.ts'
import { foundFile, listStore } from '../stores/discovering.ts'

const AGENT = 'amp'
export const THREADS = 'threads'

export async function* discover(location: Location): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, location)
  yield* listing.failures
  for (const file of listing.files) {
    if (/^T-.+\.json$/s.test(file.name))
      yield foundFile(AGENT, location, file.path, { sessionId: basename(file.name, '.json'), generation: THREADS })
  }
}
