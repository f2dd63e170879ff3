// Loads no session.
import type { Fault } from './fault.ts'
import { refuse } from './fault.ts'

export const refuseLoad: Fault = {
  name: 'refuse-load',
  beforeLoad: firing => refuse(firing, 'refuse-load'),
}
