// What the generator of one store generation of one agent offers.
import type { Random } from './random.ts'
import type { TextSource } from './text.ts'

export interface Maker {
  agent: string
  /** As the agent's reader calls it. */
  generation: string
  /** Databases are left whole. */
  canDamage: boolean
  /** Several sessions may share a file, so a store is opened once, filled, and closed. */
  open(home: string): MakerStore
}

export interface MakerStore {
  add(plan: SessionPlan): MadeSession
  close(): void
}

export interface SessionPlan {
  /** Which session of its store this is. */
  index: number
  random: Random
  text: TextSource
  /** How much to write, in bytes; the last message may exceed it. */
  bytes: number
  isDamaged: boolean
  project: string
  /** Milliseconds since 1970. */
  startedAt: number
}

export type DamageKind = 'torn-tail' | 'malformed-line' | 'splice' | 'glued-records' | 'nul-run' | 'cut-short'

export interface MadeSession {
  agent: string
  generation: string
  sessionId: string
  /** The file that holds the conversation; a database holds others too, and a tree is named by its session file. */
  file: string
  bytes: number
  /** Of the conversation (user, assistant, tool), before any damage. */
  messages: number
  damages: DamageKind[]
}
