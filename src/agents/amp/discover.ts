// threads/T-<uuid>.json, with nothing beside it.
import { basename } from 'node:path'
import type { Found, Store } from '../agent.ts'
import { foundFile, listStore } from '../stores/discovering.ts'

const AGENT = 'amp'

export async function* discover(store: Store): AsyncGenerator<Found, void, void> {
  const listing = listStore(AGENT, store)
  yield* listing.failures
  for (const file of listing.files) {
    if (/^T-.+\.json$/s.test(file.name))
      yield foundFile(AGENT, store, file.path, { sessionId: basename(file.name, '.json') })
  }
}
