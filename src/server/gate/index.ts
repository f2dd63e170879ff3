// The gate: a resume waits here until its session has been checked and, if needed, repaired. Only then the
// agent starts.
import type { Context } from '../../catalog/context.ts'
import type { Checks } from '../checks/index.ts'
import type { ClientMessageOf, ServerMessage } from '../protocol.ts'
import type { SessionCatalog } from '../sessions/index.ts'
import type { Terminals } from '../terminals/index.ts'
import { ResumeGate } from './gate.ts'

export interface Gate {
  /** Sends `terminal.waiting` while it waits, then `terminal.created` or an error. */
  create(request: ClientMessageOf<'terminal.create'>, client: GateClient): void
  choose(message: ClientMessageOf<'terminal.choose'>, client: GateClient): void
  /** The socket of the client closed. Attempts without another client are cancelled. */
  leave(client: GateClient): void
  /** Fails all waiting requests. Running terminals are not touched. */
  stop(): void
}

/** `send` must not throw: messages to a closed client are dropped. */
export interface GateClient {
  send(message: ServerMessage): void
}

export interface GateOptions {
  context: Context
  sessions: Pick<SessionCatalog, 'progress' | 'find' | 'get' | 'gone' | 'setTerminal' | 'on'>
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
