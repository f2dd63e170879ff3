// Checks the arguments of the public functions. Callers may be plain JavaScript, so the shape is not
// guaranteed.
import { z } from 'zod'
import type { SessionName } from '../catalog/choose-sessions.ts'
import type { Context } from '../catalog/context.ts'
import { agentById, makeContext } from '../catalog/context.ts'
import { RethreadError } from '../model/errors.ts'

const sessionName = z.union([
  z.string().min(1),
  // The results of `list` and `check` have more fields than these.
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

/** Returns the value unchanged. Throws `usage` for a wrong shape: an unknown option must not be ignored. */
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

export interface Options {
  /**
   * Search for sessions below this folder only, and ignore variables that move a store. Default: the user's
   * home.
   */
  home?: string
  /**
   * The folder for caches, copies and receipts. Default: as on the command line, `RETHREAD_STATE_DIR`
   * included.
   */
  state?: string
  /** Ids of agents, as `rethread agents` lists them. Default: all agents. */
  agents?: readonly string[]
}
