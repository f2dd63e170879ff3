// The adapter for checks and repairs of threads.
import { isConversation } from '../../model/message.ts'
import type { DocumentRepair } from '../repair.ts'
import { messageOf, STRUCTURE } from './messages.ts'

const NOWHERE = { file: '', start: 0, end: 0 }

export const repair: DocumentRepair = {
  framing: 'json-document',
  ...STRUCTURE,
  counter: () => element => (isConversation(messageOf(element, '', NOWHERE)) ? 1 : 0),
}
