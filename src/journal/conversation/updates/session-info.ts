// What the session is called.
import { readString } from '../blocks.ts'
import type { UpdateFamily } from './update.ts'

export const sessionInfo: UpdateFamily = {
  variants: ['session_info_update'],
  apply(step, update) {
    const title = readString(update['title'])
    if (title !== undefined && title !== '') step.emit({ type: 'title', title })
  },
}
