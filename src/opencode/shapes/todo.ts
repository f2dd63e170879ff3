// One thing the agent means to do.
import { z } from 'zod'

export const todoSchema = z.object({
  content: z.string(),
  status: z.string(),
  priority: z.string(),
  /** Only older clients look at it. */
  id: z.string(),
})
export type Todo = z.infer<typeof todoSchema>
