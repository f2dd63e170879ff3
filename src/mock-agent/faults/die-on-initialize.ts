// Ends before it has said who it is.
import type { Fault } from './fault.ts'
import { die } from './fault.ts'

export const dieOnInitialize: Fault = {
  name: 'die-on-initialize',
  initialize: firing => die(firing, 'die-on-initialize'),
}
