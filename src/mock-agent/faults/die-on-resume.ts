// Ends when a session is to be resumed.
import type { Fault } from './fault.ts'
import { die } from './fault.ts'

export const dieOnResume: Fault = {
  name: 'die-on-resume',
  beforeResume: firing => die(firing, 'die-on-resume'),
}
