// The beginning of a tool, and how it goes on.
import { upsertTool } from '../tools.ts'
import type { UpdateFamily } from './update.ts'

export const toolCalls: UpdateFamily = {
  variants: ['tool_call', 'tool_call_update'],
  apply(step, update, variant) {
    upsertTool(step, update, variant === 'tool_call')
  },
}
