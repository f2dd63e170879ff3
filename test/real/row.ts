// What came of one case, and whether that is what was promised.
export interface Outcome {
  how: 'went on' | 'refused' | 'never ended' | 'sent nothing'
  /** The reason of a refusal, or the last line the agent printed. */
  said: string
  /** How many messages were in the first request, whether it was refused or not. */
  sent: number
  /** How many messages of the session these are. */
  stored: number
  /** What the healthy session sends and this one does not. */
  missing: string[]
  /** What this one sends and the healthy one does not. */
  added: string[]
}

export interface Row {
  agent: string
  version: string
  damages: string[]
  seed: number
  what: string[]
  /** The classes of damage that the check found. */
  found: string[]
  /** How many records no repair can bring back, and results that are set aside with their lost call. */
  destroyed: number
  isBeyondRepair: boolean
  /** How many messages the healthy session sends. */
  healthy: number
  healthyStored: number
  /** What the check says that it loads. */
  healthyLoads: number
  loads: { now: number; afterRepair: number }
  damaged: Outcome
  repair: string
  repaired: Outcome
}
