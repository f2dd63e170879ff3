// What an agent tells of a session: what was said and done in it, or how things stand.
import { fields } from '../envelope.ts'

/** A journal that has the conversation has these. */
const HISTORY = new Set<unknown>([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
])

/** Told at any time, also in a turn in which nothing happens. */
const STANDING = new Set<unknown>([
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
])

/** Of the parameters of a session/update. One that is not known is neither. */
export function isHistory(params: unknown): boolean {
  return HISTORY.has(fields(fields(params)['update'])['sessionUpdate'])
}

export function isStanding(params: unknown): boolean {
  return STANDING.has(fields(fields(params)['update'])['sessionUpdate'])
}
