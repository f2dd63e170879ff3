// Each store generation has its own way of being listed.
import type { DiscoverOptions, Found, Store } from '../agent.ts'
import { discoverChats } from './cli/discover.ts'
import { discoverComposers } from './ide/discover.ts'
import { discoverTranscripts } from './transcripts/discover.ts'

export async function* discover(store: Store, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  if (store.generation === 'cli') yield* discoverChats(store, options.environment)
  else if (store.generation === 'ide') yield* discoverComposers(store, options)
  else yield* discoverTranscripts(store, options)
}
