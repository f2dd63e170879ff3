// The notes that rethread writes into a journal, in the form of notifications. They are never sent to an
// agent or a client, and never shown as messages.
import { z } from 'zod'
import type { Envelope, Sender } from './store.ts'

/** In the `_meta` of a prompt that repeats the prompt before it. */
export const RETRY_MARK = 'rethread/retry'

/** In the `_meta` of a prompt that waited: its key. */
export const QUEUED_MARK = 'rethread/queued'

/** The strategy that restored a conversation. The field in notes is `rung`. */
const strategySchema = z.enum(['resume', 'load', 'repair', 'replay'])
export type StrategyName = z.infer<typeof strategySchema>

const settled = z.object({
  /** What exited while a turn ran. */
  reason: z.enum(['agent-ended', 'rethread-ended', 'restore-failed']),
  text: z.string(),
})

const restored = z.object({
  rung: strategySchema,
  from: z.string(),
  to: z.string(),
  text: z.string(),
  /** What the agent may no longer know. Absent where it knows everything. */
  lost: z.string().optional(),
  /** The strategies tried before, and why each failed. */
  tried: z.array(z.object({ rung: strategySchema, why: z.string() })),
  snapshot: z.string().optional(),
  receipt: z.string().optional(),
})

const replayed = z.object({
  /** The JSON-RPC id of the request that carries the replay. */
  request: z.union([z.string(), z.number(), z.null()]),
  upTo: z.number(),
  entries: z.number(),
  chars: z.number(),
  isTruncated: z.boolean(),
})

const exited = z.object({
  code: z.number().nullable(),
  signal: z.string().nullable(),
  /** The end of the agent's error output. */
  stderr: z.string(),
})

const garbage = z.object({ bytes: z.number(), beginning: z.string() })

const forked = z.object({ from: z.string(), upTo: z.number() })

/** A prompt that waits. It is sent later, as a prompt with its key. */
const queued = z.object({
  key: z.string(),
  prompt: z.array(z.looseObject({ type: z.string() })),
  /** The id that the client chose. */
  messageId: z.string().optional(),
})

/** A prompt that waited and will not be sent. */
const unsent = z.object({ key: z.string(), text: z.string(), isCancelled: z.boolean() })

export const NOTES = {
  '_rethread/settled': settled,
  '_rethread/restored': restored,
  '_rethread/replayed': replayed,
  '_rethread/agent_exited': exited,
  '_rethread/garbage': garbage,
  '_rethread/forked': forked,
  '_rethread/queued': queued,
  '_rethread/unsent': unsent,
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
  '_rethread/queued': 'client',
  '_rethread/unsent': 'client',
}

export function makeNote<Name extends NoteName>(name: Name, connectionId: string, params: Note<Name>): Envelope {
  const payload = Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: name, params }))
  return { connectionId, sender: SENDERS[name], kind: name, payload }
}

/** Undefined where the message is not this note, or a newer rethread wrote it in another form. */
export function readNote<Name extends NoteName>(name: Name, envelope: unknown): Note<Name> | undefined {
  const parsed = z.object({ method: z.literal(name), params: z.unknown() }).safeParse(envelope)
  if (!parsed.success) return undefined
  const params = NOTES[name].safeParse(parsed.data.params)
  return params.success ? (params.data as Note<Name>) : undefined
}
