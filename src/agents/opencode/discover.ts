// Each generation has its way to be looked through.
import type { DiscoverOptions, Found, Store } from '../agent.ts'
import { discoverDatabases } from './discover-database.ts'
import { discoverTree } from './discover-tree.ts'

export function discover(store: Store, options: DiscoverOptions): AsyncGenerator<Found, void, void> {
  return store.generation === 'tree' ? discoverTree(store, options) : discoverDatabases(store, options)
}
