// The gate: a resume waits here until its session was checked and, where it needs it, repaired. Only then does the agent start.
import type { Context } from '../../catalog/context.ts'
import type { Checks } from '../checks/index.ts'
import type { ClientMessageOf, ServerMessage } from '../protocol.ts'
import type { Sessions } from '../sessions/index.ts'
import type { Terminals } from '../terminals/index.ts'
import { ResumeGate } from './gate.ts'

export interface Gate {
  /** Answered with `terminal.waiting` as long as it takes, then `terminal.created` or an error. */
  create(request: ClientMessageOf<'terminal.create'>, client: GateClient): void
  choose(message: ClientMessageOf<'terminal.choose'>, client: GateClient): void
  /** Its socket closed. What nobody else waits for is not started, and nothing is left behind. */
  leave(client: GateClient): void
  /** For good. What waits is told so; terminals that run are not touched. */
  stop(): void
}

/** Must not throw: whoever is gone takes nothing. */
export interface GateClient {
  send(message: ServerMessage): void
}

export interface GateOptions {
  context: Context
  sessions: Pick<Sessions, 'progress' | 'find' | 'get' | 'gone' | 'setTerminal' | 'on'>
  checks: Pick<Checks, 'repairForResume' | 'hold' | 'isRepairing'>
  terminals: Pick<Terminals, 'create' | 'ofSession' | 'on'>
  /** For tests; ten seconds otherwise. */
  slowCheckMs?: number
  /** For tests; two minutes otherwise. */
  maxQuietWaitMs?: number
}

export function makeGate(options: GateOptions): Gate {
  return new ResumeGate(options)
}
