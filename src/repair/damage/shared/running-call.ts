// A tool call without a result, while its agent may still be running it. Once the agent is gone, the same
// call is damage. So it is reported as unfinished, and a verdict with it is not cached.
import type { Finding } from '../../../model/finding.ts'

export const RUNNING_CALL = {
  severity: 'updating',
  text: 'A tool call has no result yet: the agent may still be working on it.',
  hint: 'Nothing to do while the agent is working.',
} as const satisfies Partial<Finding>
