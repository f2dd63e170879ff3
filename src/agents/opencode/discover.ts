// Each generation has its way to be looked through.
import type { DiscoverOptions, Found, Store } from '../agent.ts'
import { discoverDatabases } from './database/discover.ts'
import { discoverTree } from './tree/discover.ts'

export function discover(store: Store, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  return store.generation === 'tree' ? discoverTree(store, options) : discoverDatabases(store, options)
}
