// Something the agent may do only if a person says so.
import { z } from 'zod'

export const permissionReplySchema = z.enum(['once', 'always', 'reject'])
export type PermissionReply = z.infer<typeof permissionReplySchema>

export const permissionRequestSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  /** The kind of what the agent wants to do. */
  permission: z.string(),
  patterns: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  always: z.array(z.string()),
  tool: z.object({ messageID: z.string(), callID: z.string() }).optional(),
})
export type PermissionRequest = z.infer<typeof permissionRequestSchema>
