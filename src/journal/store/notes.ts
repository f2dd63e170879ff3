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

/** A prompt, before its agent runs. The prompt that is sent later continues it. */
const promptTaken = z.object({ token: z.string(), params: z.record(z.string(), z.unknown()) })

/** The next prompt is the one that was taken. `request`: its JSON-RPC id. */
const promptSent = z.object({ token: z.string(), request: z.union([z.string(), z.number(), z.null()]) })

/** The prompt did not reach the agent. `code`: the JSON-RPC error of the agent, if it sent one. */
const promptFailed = z.object({
  token: z.string(),
  text: z.string(),
  code: z.number().optional(),
  isCancelled: z.boolean().optional(),
})

const forked = z.object({ from: z.string(), upTo: z.number() })

/** A prompt that waits. It is sent later, as a prompt with its key. */
const queued = z.object({
  key: z.string(),
  prompt: z.array(z.looseObject({ type: z.string() })),
  /** The id that the client chose. */
  messageId: z.string().optional(),
})

/** A prompt that waited and will not be sent. `code`: the JSON-RPC error of the agent, if it sent one. */
const unsent = z.object({
  key: z.string(),
  text: z.string(),
  code: z.number().optional(),
  isCancelled: z.boolean().optional(),
})

export const NOTES = {
  '_rethread/settled': settled,
  '_rethread/restored': restored,
  '_rethread/replayed': replayed,
  '_rethread/agent_exited': exited,
  '_rethread/garbage': garbage,
  '_rethread/forked': forked,
  '_rethread/queued': queued,
  '_rethread/unsent': unsent,
  '_rethread/prompt_taken': promptTaken,
  '_rethread/prompt_sent': promptSent,
  '_rethread/prompt_failed': promptFailed,
} as const

export type NoteName = keyof typeof NOTES
export type JournalNote<Name extends NoteName = NoteName> = z.infer<(typeof NOTES)[Name]>

const SENDERS: Record<NoteName, Sender> = {
  '_rethread/settled': 'client',
  '_rethread/restored': 'client',
  '_rethread/replayed': 'client',
  '_rethread/agent_exited': 'agent',
  '_rethread/garbage': 'agent',
  '_rethread/forked': 'client',
  '_rethread/queued': 'client',
  '_rethread/unsent': 'client',
  '_rethread/prompt_taken': 'client',
  '_rethread/prompt_sent': 'client',
  '_rethread/prompt_failed': 'client',
}

export function makeNote<Name extends NoteName>(name: Name, connectionId: string, params: JournalNote<Name>): Envelope {
  const payload = Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: name, params }))
  return { connectionId, sender: SENDERS[name], kind: name, payload }
}

/** Undefined where the message is not this note, or a newer rethread wrote it in another form. */
export function readNote<Name extends NoteName>(name: Name, envelope: unknown): JournalNote<Name> | undefined {
  const parsed = z.object({ method: z.literal(name), params: z.unknown() }).safeParse(envelope)
  if (!parsed.success) return undefined
  const params = NOTES[name].safeParse(parsed.data.params)
  return params.success ? (params.data as JournalNote<Name>) : undefined
}

/** The parameters of a prompt: of one that was sent, or of one that was only taken. */
export function promptParams(envelope: unknown): unknown {
  return readNote('_rethread/prompt_taken', envelope)?.params ?? Object(Object(envelope)['params'])
}
