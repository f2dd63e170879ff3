// The shape of what the browser's tab keeps of its terminal panes. What does not fit is forgotten.
import { z } from 'zod'
import type { Tree } from './split-tree.ts'

/** What "Resume again" asks for. `session` is the key of the session to resume: cleared once that is known to be impossible. */
const wantedSchema = z.object({
  session: z.string().optional(),
  sessionId: z.string().optional(),
  agent: z.string().optional(),
  cwd: z.string().optional(),
  /** The folder of the conversation is created where it is gone. */
  makeFolder: z.boolean().optional(),
})
export type Wanted = z.infer<typeof wantedSchema>

const phaseSchema = z.discriminatedUnion('type', [
  /** To be asked for as soon as there is a connection, and a size. */
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
    /** What may be asked for in place of it. */
    offers: z.array(z.string()).optional(),
  }),
  /** Its terminal is not there any more. */
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
export type Pane = z.infer<typeof paneSchema>

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
  /** The pane that has, or last had, the keyboard; its tab is the one shown. */
  focused: z.string().nullable(),
  /** Of the room of the middle column. */
  height: z.number().min(0.1).max(0.9),
  isMaximised: z.boolean(),
})
export type Dock = z.infer<typeof dockSchema>
