// The adapter for checks and repairs of editor documents.
import { isConversation } from '../../../model/message.ts'
import type { DocumentRepair } from '../../repair.ts'
import { interpretEntry, STRUCTURE } from './messages.ts'

export const repair: DocumentRepair = {
  framing: 'json-document',
  ...STRUCTURE,
  counter: () => element => {
    const interpreted = interpretEntry(element)
    if (interpreted.type === 'bookkeeping') return 0
    return interpreted.drafts.filter(isConversation).length
  },
}
