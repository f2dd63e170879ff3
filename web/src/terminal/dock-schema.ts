// The shape of the terminal panes in the session storage of the browser tab. Data that does not fit is
// dropped.
import { z } from 'zod'
import type { Tree } from './split-tree.ts'

/**
 * What "Resume again" requests. `session` is the key of the session, removed when a resume is known to be
 * impossible.
 */
const wantedSchema = z.object({
  session: z.string().optional(),
  sessionId: z.string().optional(),
  agent: z.string().optional(),
  cwd: z.string().optional(),
  /** Creates the folder of the conversation if it is gone. */
  makeFolder: z.boolean().optional(),
})
export type Wanted = z.infer<typeof wantedSchema>

const phaseSchema = z.discriminatedUnion('type', [
  /** Requested as soon as there is a connection and a size. */
  z.object({ type: z.literal('asking') }),
  z.object({
    type: z.literal('waiting'),
    phase: z.string(),
    text: z.string(),
    choices: z.array(z.string()),
    secondsLeft: z.number().optional(),
  }),
  z.object({ type: z.literal('open') }),
  z.object({
    type: z.literal('failed'),
    code: z.string(),
    text: z.string(),
    hint: z.string(),
    /** What may be requested instead. */
    offers: z.array(z.string()).optional(),
  }),
  /** The terminal no longer exists. */
  z.object({ type: z.literal('gone') }),
])
export type Phase = z.infer<typeof phaseSchema>

const paneSchema = z.object({
  id: z.string(),
  title: z.string(),
  wanted: wantedSchema,
  terminalId: z.string().nullable(),
  phase: phaseSchema,
  notice: z.object({ kind: z.string(), text: z.string() }).nullable(),
})
export type TerminalPane = z.infer<typeof paneSchema>

const treeSchema: z.ZodType<Tree> = z.lazy(() =>
  z.union([
    z.object({ type: z.literal('pane'), pane: z.string() }),
    z.object({
      type: z.literal('split'),
      id: z.string(),
      direction: z.enum(['right', 'down']),
      share: z.number().min(0).max(1),
      first: treeSchema,
      second: treeSchema,
    }),
  ]),
)

export const dockSchema = z.object({
  panes: z.record(z.string(), paneSchema),
  tabs: z.array(treeSchema),
  /** The pane that has or last had the focus. Its tab is shown. */
  focused: z.string().nullable(),
  /** The share of the middle column. */
  height: z.number().min(0.1).max(0.9),
  isMaximised: z.boolean(),
})
export type Dock = z.infer<typeof dockSchema>
