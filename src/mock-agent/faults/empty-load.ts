// Loads a session and knows nothing of it; its file stays as it is.
import type { Fault } from './fault.ts'

export const emptyLoad: Fault = {
  name: 'empty-load',
  load(firing, session) {
    firing.fire()
    session.forget()
  },
}
