// The commands that can be typed into a prompt.
import { fields } from '../../envelope.ts'
import { readList, readString } from '../blocks.ts'
import type { UpdateFamily } from './update.ts'

export const commands: UpdateFamily = {
  variants: ['available_commands_update'],
  apply(step, update) {
    const list = readList(update['availableCommands']).flatMap(command => {
      const { name, description } = fields(command)
      return typeof name === 'string' ? [{ name, description: readString(description) ?? '' }] : []
    })
    step.emit({ type: 'commands', commands: list })
  },
}
