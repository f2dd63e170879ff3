// What every function of the package takes.

export interface Options {
  /** Treat this folder as the home: sessions are searched below it alone, and no variable moves a store. The user's own home without it. */
  home?: string
  /** The folder where rethread keeps caches, copies and receipts. As on the command line without it, `RETHREAD_STATE_DIR` included. */
  state?: string
  /** Ids of agents, as `rethread agents` lists them. All agents without it. */
  agents?: readonly string[]
}
