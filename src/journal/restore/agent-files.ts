// What the restore strategies asks of the agents' own stores. It is handed in from above: the journal knows neither agents nor repairs.

export interface AgentFiles {
  /** The agent's own file of a session, copied aside before the agent is asked to load it. Undefined where we know no store of this agent, or it holds no such session. */
  snapshot(agent: string, agentSessionId: string): Promise<Snapshot | undefined>
  /** Without changing anything. `unknown`: no store that we know, no such session in it, or it cannot be examined now. */
  check(agent: string, agentSessionId: string): Promise<'healthy' | 'damaged' | 'unknown'>
  /** Checks the session in the agent's own store, and repairs it where that helps. */
  repair(agent: string, agentSessionId: string): Promise<AgentFileRepair>
}

export interface Snapshot {
  id: string
  bytes: number
  /** What became of the files since: `lost`: gone, or shorter, or what stood there does not stand there any more. */
  compare(): Promise<'same' | 'grown' | 'lost'>
  /** Puts the copy back where `compare` says lost. The agent must not be running. What lies there now is kept in the vault like anything a repair removes. */
  putBack(): Promise<void>
}

export type AgentFileRepair =
  /** No store of ours to look at, or no such session there. */
  | { status: 'unknown'; text: string }
  | { status: 'healthy'; text: string }
  | { status: 'repaired'; text: string; receipt: string }
  /** Refused, busy, unreadable … */
  | { status: 'failed'; text: string }
