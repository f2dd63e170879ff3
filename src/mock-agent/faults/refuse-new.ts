// Makes no session.
import type { Fault } from './fault.ts'
import { refuse } from './fault.ts'

export const refuseNew: Fault = {
  name: 'refuse-new',
  create: firing => refuse(firing, 'refuse-new'),
}
