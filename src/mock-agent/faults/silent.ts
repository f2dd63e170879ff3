// Never answers a prompt, not even one that is cancelled.
import type { Fault } from './fault.ts'

export const silent: Fault = {
  name: 'silent',
  prompt(firing) {
    firing.fire()
    return new Promise(() => {})
  },
}
