// What is needed to check and mend a session that is one JSON document.
import { isConversation } from '../../model/message.ts'
import type { DocumentMend } from '../mend.ts'
import { interpret, messageOf, resultIds, withoutRepeats } from './messages.ts'

/** Without one of these Gemini CLI does not list the session, and where its clean-up is switched on it deletes the file. */
const REQUIRED = ['sessionId', 'startTime', 'lastUpdated']
const NOWHERE = { file: '', start: 0, end: 0 }

export const mend: DocumentMend = {
  framing: 'json-document',
  lists: ['messages'],
  counter() {
    const results = new Set<string>()
    return element => {
      const interpreted = withoutRepeats(interpret(element), id => results.has(id))
      if (interpreted === undefined) return 0
      for (const id of resultIds(interpreted.parts)) results.add(id)
      return isConversation(messageOf(interpreted, '', undefined, NOWHERE)) ? 1 : 0
    }
  },
  refuses(fields) {
    const missing = REQUIRED.filter(name => !fields.has(name))
    return missing.length === 0 ? undefined : `it has no ${missing.join(', ')}, and Gemini CLI insists on it`
  },
}
