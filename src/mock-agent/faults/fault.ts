// A way in which an agent goes wrong. Each part of it is called at its moment and may do harm there, or nothing.
import type { StopReason } from '@agentclientprotocol/sdk/unstable'
import { RequestError } from '@agentclientprotocol/sdk/unstable'
import type { Session } from '../session.ts'
import type { Turn } from '../turn.ts'

export interface Firing {
  /** What was given after `NAME=`; empty where nothing was. */
  readonly argument: string
  /** The folder of `--store`. */
  readonly folder: string | undefined
  /** Says that the fault happens now: called before its effect is seen. */
  fire(): void
}

type Awaitable<T> = T | Promise<T>

export interface Fault {
  readonly name: string
  start?(firing: Firing): void
  initialize?(firing: Firing): Awaitable<void>
  create?(firing: Firing): Awaitable<void>
  /** Before the session is looked for. */
  beforeLoad?(firing: Firing): Awaitable<void>
  /** When it is known, and nothing of it is told yet. */
  load?(firing: Firing, session: Session): Awaitable<void>
  beforeResume?(firing: Firing): Awaitable<void>
  /** Before anything is sent for it. A stop reason ends the turn with it. */
  prompt?(firing: Firing, turn: Turn): Awaitable<StopReason | undefined>
  /** After a piece of a message was sent; `sent` counts them from 1 in each turn. */
  chunk?(firing: Firing, sent: number): void
  /** What is written before the answer to a request. */
  beforeAnswer?(firing: Firing): Buffer
}

/** At once, and with nothing said but a line on the error output. */
export function die(firing: Firing, name: string): never {
  firing.fire()
  process.stderr.write(`mock agent: ${name}\n`)
  process.exit(1)
}

export function refuse(firing: Firing, name: string): never {
  firing.fire()
  throw RequestError.internalError(undefined, name)
}
