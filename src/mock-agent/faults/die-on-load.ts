// Ends when a session is to be loaded.
import type { Fault } from './fault.ts'
import { die } from './fault.ts'

export const dieOnLoad: Fault = {
  name: 'die-on-load',
  beforeLoad: firing => die(firing, 'die-on-load'),
}
