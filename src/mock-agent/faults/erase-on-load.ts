// Loading a session destroys it, and is called a success.
import type { Fault } from './fault.ts'

export const eraseOnLoad: Fault = {
  name: 'erase-on-load',
  load(firing, session) {
    firing.fire()
    session.erase()
  },
}
