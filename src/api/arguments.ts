// Arguments as they come from outside: callers may be plain JavaScript, so their shape is checked.
import { z } from 'zod'
import type { SessionName } from '../catalog/choose-sessions.ts'
import type { Context } from '../catalog/context.ts'
import { agentById, makeContext } from '../catalog/context.ts'
import { RethreadError } from '../model/errors.ts'

const sessionName = z.union([
  z.string().min(1),
  // What `list` and `check` give has more fields than these.
  z.object({ agent: z.string().min(1), sessionId: z.string(), filePath: z.string().min(1) }),
]) satisfies z.ZodType<SessionName>

const common = {
  home: z.string().min(1).optional(),
  state: z.string().min(1).optional(),
  agents: z.array(z.string().min(1)).min(1).readonly().optional(),
}

const sessions = z.array(sessionName).readonly()
const force = z.boolean().optional()

export const SCHEMAS = {
  list: z.strictObject({
    ...common,
    project: z.string().min(1).optional(),
    since: z.date().optional(),
    limit: z.int().min(1).optional(),
    subagents: z.boolean().optional(),
  }),
  read: z.strictObject({ ...common, branch: z.string().min(1).optional() }),
  check: z.strictObject({ ...common, sessions: sessions.optional(), force }),
  repair: z.strictObject({
    ...common,
    sessions: sessions.optional(),
    all: z.literal(true).optional(),
    dryRun: z.boolean().optional(),
    force,
    waitMs: z.number().min(0).optional(),
  }),
  createScanner: z.strictObject({ ...common, force }),
  sessionName,
} as const

/** The value as it was given. Throws `usage` where it is not of the shape: an option that nobody knows must not be ignored. */
export function parseArgument<Shape>(schema: z.ZodType<Shape>, value: unknown, call: string): Shape {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`
  throw new RethreadError({
    code: 'usage',
    text: `${call}: ${issue?.message ?? 'Invalid input'}${where}.`,
    hint: `See the types of "${call.split('(')[0]}" in the package, or docs/api.md.`,
  })
}

export function openContext({ home, state, agents }: Options): Context {
  const context = makeContext({ ...(home === undefined ? {} : { home }), ...(state === undefined ? {} : { state }) })
  if (agents === undefined) return context
  return { ...context, agents: [...new Set(agents)].map(id => agentById(context, id)) }
}

// What every function of the package takes.

export interface Options {
  /** Treat this folder as the home: sessions are searched below it alone, and no variable moves a store. The user's own home without it. */
  home?: string
  /** The folder where rethread keeps caches, copies and receipts. As on the command line without it, `RETHREAD_STATE_DIR` included. */
  state?: string
  /** Ids of agents, as `rethread agents` lists them. All agents without it. */
  agents?: readonly string[]
}
