// Restore strategies that seemed to work until the first turn. The next
// restore of the conversation tries a later one.
import type { AgentConnection } from '../connection/connection.ts'
import { noteEntry } from '../connection/journal-writer.ts'
import { makeNote, type StrategyName } from '../store/notes.ts'
import type { LiveConversation } from './restore.ts'

interface Failed {
  strategies: Set<StrategyName>
  /** The agent session from before the first of them. */
  agentSessionId: string
}

const NONE: ReadonlySet<StrategyName> = new Set()

export class FailedStrategies {
  readonly #failed = new Map<string, Failed>()

  of(id: string): ReadonlySet<StrategyName> {
    return this.#failed.get(id)?.strategies ?? NONE
  }

  add(id: string, { strategy, binding: { agentSessionId } }: LiveConversation): void {
    const failed = this.#failed.get(id) ?? { strategies: new Set(), agentSessionId }
    if (strategy !== undefined) failed.strategies.add(strategy)
    this.#failed.set(id, failed)
  }

  clear(id: string): void {
    this.#failed.delete(id)
  }

  /**
   * The agent session to keep if every strategy failed: then the cause is another, such as a service that is
   * down or a limit that was reached. Undefined otherwise.
   */
  takeKept(id: string, { strategy, isProven, binding }: LiveConversation): string | undefined {
    const failed = this.#failed.get(id)
    if (failed === undefined || strategy !== 'replay' || isProven || binding.hasAnswered) return undefined
    this.#failed.delete(id)
    return failed.agentSessionId
  }
}

/** Journals that the conversation keeps this agent session instead of a replay. */
export async function keepAgentSession(connection: AgentConnection, id: string, agentSessionId: string): Promise<void> {
  const text = 'The agent refused every restore strategy. The conversation keeps its agent session.'
  const note = makeNote('_rethread/settled', connection.id, { reason: 'restore-failed', text })
  await connection.write([noteEntry(id, note, { agentSessionId, replay: null, restoredBy: null })])
}
