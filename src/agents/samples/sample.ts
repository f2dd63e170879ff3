// The interface of makers of made-up sessions, one for each store of an agent. For the demo, tests and
// benchmarks.
import type { Agent } from '../agent.ts'
import type { Turn } from './conversation.ts'
import type { Random } from './random.ts'
import type { TextSource } from './text.ts'

export interface SampleMaker {
  agent: string
  /** Its name. */
  store: string
  /** False for databases, which are never damaged here. */
  canDamage: boolean
  /** Whether it supports `subagentOf` of a plan. */
  hasSubagents?: boolean
  /** Files a session under another project, where the agent does not list it. Returns its new file. */
  misplace?(file: string, project: string): string
  /** Several sessions may share a file, so a store is opened once, filled, and closed. */
  open(home: string, options?: SampleStoreOptions): SampleStore
}

export interface SampleStoreOptions {
  /**
   * In a separate place, if the agent has a second one: damage of the whole store then affects no other
   * session.
   */
  isApart?: boolean
  /** In the form of an early version of the agent, if later ones survive more. */
  isEarly?: boolean
}

export interface SampleStore {
  add(plan: SamplePlan): MadeSample
  close(): void
}

export interface SamplePlan {
  /** The number of the session in its store. */
  index: number
  random: Random
  text: TextSource
  /** How many bytes to write. The last message may exceed it. Ignored if the turns are given. */
  bytes: number
  isDamaged: boolean
  project: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** The conversation, from the first prompt to the last answer. Random unless given. */
  turns?: readonly Turn[]
  title?: string
  /** The parent session of a subagent. */
  subagentOf?: string
}

export type SampleDamage = 'torn-end' | 'malformed-line' | 'splice' | 'glued-records' | 'zeros' | 'cut-short'

export interface MadeSample {
  agent: string
  store: string
  sessionId: string
  /** The file with the conversation. A database holds others too. A tree is named by its session file. */
  file: string
  bytes: number
  /** Messages of the conversation (user, assistant, tool), before any damage. */
  messages: number
  damages: SampleDamage[]
}

export function titleOf({ title, text }: SamplePlan): string {
  return title ?? text.title()
}

export async function makersOf(agents: readonly Agent[]): Promise<SampleMaker[]> {
  return (await Promise.all(agents.map(async agent => (await agent.samples?.()) ?? []))).flat()
}
