// Answers any prompt with very many small updates, as fast as they are taken.
import { setImmediate as nextRound } from 'node:timers/promises'
import type { Fault } from './fault.ts'

const DEFAULT_UPDATES = 10_000
/** With it, an update is a line of about 200 bytes. */
const PADDING = '.'.repeat(20)
/** Between these, it is seen whether the turn was cancelled: writing alone never lets anything be read. */
const UPDATES_AT_ONCE = 100

export const flood: Fault = {
  name: 'flood',
  async prompt(firing, turn) {
    firing.fire()
    const count = firing.argument === '' ? DEFAULT_UPDATES : Number(firing.argument)
    for (let index = 0; index < count; index++) {
      if (turn.signal.aborted) return 'cancelled'
      const content = { type: 'text', text: `${String(index).padStart(8, '0')} ${PADDING}` } as const
      await turn.send({ sessionUpdate: 'agent_message_chunk', content })
      if (index % UPDATES_AT_ONCE === 0) await nextRound()
    }
    return 'end_turn'
  },
}
