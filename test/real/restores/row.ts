// What came of one scenario with one real agent.
import type { StrategyName } from '../../../src/journal/store/notes.ts'

export interface Row {
  agent: string
  version: string
  scenario: string
  /** By which the conversation came back; absent where it was alive. */
  strategy?: StrategyName
  /** Messages in the agent's first request of the last turn before, and of the first turn after. */
  before?: number
  after?: number
  /** As the journal says it. */
  lost?: string
  remarks: string[]
  /** What is not as it has to be. */
  faults: string[]
}
