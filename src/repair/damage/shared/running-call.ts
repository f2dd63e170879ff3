// A call of a tool that has no result yet, while its agent may be at work on it. Once the agent is gone the same call is damage, so it is told as
// unfinished and not passed over: a verdict that holds it is not remembered.
import type { Finding } from '../../../model/finding.ts'

export const RUNNING_CALL = {
  severity: 'updating',
  text: 'A tool call has no result yet: the agent may still be working on it.',
  hint: 'Nothing to do while the agent is working.',
} as const satisfies Partial<Finding>
