// Resumes no session.
import type { Fault } from './fault.ts'
import { refuse } from './fault.ts'

export const refuseResume: Fault = {
  name: 'refuse-resume',
  beforeResume: firing => refuse(firing, 'refuse-resume'),
}
