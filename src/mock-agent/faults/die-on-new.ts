// Ends when a session is asked for.
import type { Fault } from './fault.ts'
import { die } from './fault.ts'

export const dieOnNew: Fault = {
  name: 'die-on-new',
  create: firing => die(firing, 'die-on-new'),
}
