// What the agent means to do, each time as a whole.
import { fields } from '../../envelope.ts'
import { readList, readString } from '../blocks.ts'
import type { UpdateFamily } from './update.ts'

export const plan: UpdateFamily = {
  variants: ['plan'],
  apply(step, update) {
    const entries = readList(update['entries']).flatMap(entry => {
      const { content, priority, status } = fields(entry)
      if (typeof content !== 'string') return []
      return [{ content, priority: readString(priority) ?? 'medium', status: readString(status) ?? 'pending' }]
    })
    step.emit({ type: 'plan', entries })
  },
}
