// Ends at a prompt, before anything is sent for it.
import type { Fault } from './fault.ts'
import { die } from './fault.ts'

export const dieOnPrompt: Fault = {
  name: 'die-on-prompt',
  prompt: firing => die(firing, 'die-on-prompt'),
}
