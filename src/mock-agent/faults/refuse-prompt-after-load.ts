// Loads and resumes as if all were well, and fails at the first prompt.
import type { Fault } from './fault.ts'
import { refuse } from './fault.ts'

export const refusePromptAfterLoad: Fault = {
  name: 'refuse-prompt-after-load',
  prompt(firing, { session }) {
    return session.isFreshlyOpened ? refuse(firing, 'refuse-prompt-after-load') : undefined
  },
}
