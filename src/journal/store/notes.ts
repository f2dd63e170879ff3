// What rethread itself writes into a journal, in the form of notifications: never sent to an agent or a client, and never taken for something that was said.
import { z } from 'zod'
import type { Envelope, Sender } from './store.ts'

/** In the `_meta` of a prompt: it is the one before, once more. Nobody said it twice. */
export const RETRY_MARK = 'rethread/retry'

/** How a conversation came back. */
export const strategySchema = z.enum(['resume', 'load', 'repair', 'replay'])
export type StrategyName = z.infer<typeof strategySchema>

const settled = z.object({
  /** Who ended while a turn ran. */
  reason: z.enum(['agent-ended', 'rethread-ended', 'restore-failed']),
  text: z.string(),
})

const restored = z.object({
  rung: strategySchema,
  from: z.string(),
  to: z.string(),
  text: z.string(),
  /** What the agent may not know any more; absent where it knows everything. */
  lost: z.string().optional(),
  /** The rungs above it, and why each did not hold. */
  tried: z.array(z.object({ rung: strategySchema, why: z.string() })),
  snapshot: z.string().optional(),
  receipt: z.string().optional(),
})

const replayed = z.object({
  /** The request it was put in front of, by its number on the connection. */
  request: z.union([z.string(), z.number(), z.null()]),
  upTo: z.number(),
  entries: z.number(),
  chars: z.number(),
  isTruncated: z.boolean(),
})

const exited = z.object({
  code: z.number().nullable(),
  signal: z.string().nullable(),
  /** The end of what it wrote to its error output. */
  stderr: z.string(),
})

const garbage = z.object({ bytes: z.number(), beginning: z.string() })

const forked = z.object({ from: z.string(), upTo: z.number() })

export const NOTES = {
  '_rethread/settled': settled,
  '_rethread/restored': restored,
  '_rethread/replayed': replayed,
  '_rethread/agent_exited': exited,
  '_rethread/garbage': garbage,
  '_rethread/forked': forked,
} as const

export type NoteName = keyof typeof NOTES
export type Note<Name extends NoteName = NoteName> = z.infer<(typeof NOTES)[Name]>

const SENDERS: Record<NoteName, Sender> = {
  '_rethread/settled': 'client',
  '_rethread/restored': 'client',
  '_rethread/replayed': 'client',
  '_rethread/agent_exited': 'agent',
  '_rethread/garbage': 'agent',
  '_rethread/forked': 'client',
}

export function makeNote<Name extends NoteName>(name: Name, connectionId: string, params: Note<Name>): Envelope {
  const payload = Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: name, params }))
  return { connectionId, sender: SENDERS[name], kind: name, payload }
}

/** Undefined for what is no note, and for one that a newer rethread wrote otherwise. */
export function readNote<Name extends NoteName>(name: Name, envelope: unknown): Note<Name> | undefined {
  const parsed = z.object({ method: z.literal(name), params: z.unknown() }).safeParse(envelope)
  if (!parsed.success) return undefined
  const params = NOTES[name].safeParse(parsed.data.params)
  return params.success ? (params.data as Note<Name>) : undefined
}
