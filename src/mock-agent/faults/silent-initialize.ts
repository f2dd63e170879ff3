// Never says who it is.
import type { Fault } from './fault.ts'

export const silentInitialize: Fault = {
  name: 'silent-initialize',
  initialize(firing) {
    firing.fire()
    return new Promise(() => {})
  },
}
