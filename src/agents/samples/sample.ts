// What a maker of made-up sessions offers, one for each store of an agent: for the demo, for tests and for benchmarks.
import type { Turn } from './conversation.ts'
import type { Random } from './random.ts'
import type { TextSource } from './text.ts'

export interface SampleMaker {
  agent: string
  /** As the agent's reader calls it. */
  generation: string
  /** Databases are left whole. */
  canDamage: boolean
  /** Whether `subagentOf` of a plan is understood. */
  hasSubagents?: boolean
  /** Several sessions may share a file, so a store is opened once, filled, and closed. */
  open(home: string, options?: SampleStoreOptions): SampleStore
}

export interface SampleStoreOptions {
  /** In a place of its own, as far as the agent has a second one: what breaks it as a whole concerns no other session. */
  isApart?: boolean
  /** As an early version of the agent wrote it, where a later one survives more. */
  isEarly?: boolean
}

export interface SampleStore {
  add(plan: SamplePlan): MadeSample
  close(): void
}

export interface SamplePlan {
  /** Which session of its store this is. */
  index: number
  random: Random
  text: TextSource
  /** How much to write, in bytes; the last message may exceed it. Of no concern where the turns are given. */
  bytes: number
  isDamaged: boolean
  project: string
  /** Milliseconds since 1970. */
  startedAt: number
  /** What is said, from the first prompt to the last answer; random unless given. */
  turns?: readonly Turn[]
  title?: string
  /** The session that this one worked for. */
  subagentOf?: string
}

export type SampleDamage = 'torn-end' | 'malformed-line' | 'splice' | 'glued-records' | 'zeros' | 'cut-short'

export interface MadeSample {
  agent: string
  generation: string
  sessionId: string
  /** The file that holds the conversation; a database holds others too, and a tree is named by its session file. */
  file: string
  bytes: number
  /** Of the conversation (user, assistant, tool), before any damage. */
  messages: number
  damages: SampleDamage[]
}

export function titleOf({ title, text }: SamplePlan): string {
  return title ?? text.title()
}
