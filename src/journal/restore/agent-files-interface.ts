// The interface to the agents' own files for the restore strategies. The caller provides it: the journal does
// not import agents or repairs.

export interface AgentFiles {
  /**
   * Copies the agent's own file of a session before the agent loads it. Undefined where the store is unknown
   * or has no such session.
   */
  snapshot(agent: string, agentSessionId: string): Promise<Snapshot | undefined>
  /** Changes nothing. `unknown`: the store is unknown, has no such session, or cannot be examined now. */
  check(agent: string, agentSessionId: string): Promise<'healthy' | 'damaged' | 'unknown'>
  /** Checks the session in the agent's own store, and repairs it if damaged. */
  repair(agent: string, agentSessionId: string): Promise<AgentFileRepair>
}

export interface Snapshot {
  id: string
  bytes: number
  /** Compares the files with the copy. `lost`: a file is gone, shorter, or its content was replaced. */
  compare(): Promise<'same' | 'grown' | 'lost'>
  /**
   * Puts the copy back where `compare` returns `lost`. The agent must not be running. The vault keeps the
   * replaced bytes.
   */
  putBack(): Promise<void>
}

export type AgentFileRepair =
  /** The store is unknown, or has no such session. */
  | { status: 'unknown'; text: string }
  | { status: 'healthy'; text: string }
  | { status: 'repaired'; text: string; receipt: string }
  /** Refused, busy or unreadable. */
  | { status: 'failed'; text: string }
