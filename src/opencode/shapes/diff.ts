// What a session changed in one file. `before` and `after` are for older clients, `patch` and `status` for newer ones.
import { z } from 'zod'

export const fileDiffSchema = z.object({
  file: z.string(),
  before: z.string(),
  after: z.string(),
  patch: z.string(),
  additions: z.number(),
  deletions: z.number(),
  status: z.enum(['added', 'deleted', 'modified']),
})
export type FileDiff = z.infer<typeof fileDiffSchema>
