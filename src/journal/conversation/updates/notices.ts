// What is about the session and was not said in it.
import { fields } from '../../envelope.ts'
import { describeBlock, readList, readString } from '../blocks.ts'
import { clipEnd } from '../clip.ts'
import { MAX_NOTICE_CHARS } from '../apply-notes.ts'
import type { UpdateFamily } from './update.ts'

export const notices: UpdateFamily = {
  variants: ['notice', 'config_option_update', 'compaction_update', 'compaction_summary_chunk'],
  apply(step, update, variant) {
    step.notice(variant, clipEnd(describe(update, variant), MAX_NOTICE_CHARS))
  },
}

function describe(update: Record<string, unknown>, variant: string): string {
  if (variant === 'compaction_summary_chunk') return describeBlock(update['content'])
  if (variant === 'config_option_update') return readList(update['configOptions']).map(describeOption).join(', ')
  const words = [update['title'], update['description'], update['status'], update['error']]
  return words
    .map(word => readString(word) ?? '')
    .filter(word => word !== '')
    .join(' ')
}

function describeOption(option: unknown): string {
  const { id, name, currentValue } = fields(option)
  return `${readString(name) ?? readString(id) ?? '?'}: ${String(readString(currentValue) ?? currentValue)}`
}
