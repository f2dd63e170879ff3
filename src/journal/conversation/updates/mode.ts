// How the agent works now.
import { readString } from '../blocks.ts'
import type { UpdateFamily } from './update.ts'

export const mode: UpdateFamily = {
  variants: ['current_mode_update'],
  apply(step, update) {
    const id = readString(update['currentModeId'])
    if (id !== undefined) step.emit({ type: 'mode', mode: id })
  },
}
