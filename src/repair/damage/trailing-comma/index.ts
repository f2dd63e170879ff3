// A comma is followed only by another comma or a closing bracket, as an editor or a stopped writer leaves it.
// No JSON parser accepts it.

import { replaceBytes } from '../lines/break-lines.ts'
import { listEnd } from '../shared/break-documents.ts'
import { makeDocumentDamage } from '../shared/documents.ts'

export const trailingComma = makeDocumentDamage({
  id: 'trailing-comma',
  title: 'trailing comma',
  why: 'A comma has no value after it, for example after an edit by hand. The agent cannot read the document. A repair replaces the comma with a space.',
  kind: 'comma',
  describe: () => ({
    text: 'A comma has no value after it, so the agent cannot read the document.',
    reason: 'Replace the comma with a space',
  }),
  inflict(target) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const end = listEnd(bytes, target)
    if (end === undefined) return undefined
    target.write(file, replaceBytes(bytes, end, end, ','))
    return { what: 'a comma behind the last message', destroyed: 0 }
  },
})
