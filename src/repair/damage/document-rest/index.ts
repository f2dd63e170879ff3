// A shorter document was written over a longer one without truncating the file. The end of the old document
// still follows the new one.

import { countBytes } from '../lines/line-damage.ts'
import { makeDocumentDamage, nameBytes } from '../shared/documents.ts'

const MAX_INFLICTED_BYTES = 4096

export const documentRest = makeDocumentDamage({
  id: 'document-rest',
  title: 'rest of an older document',
  why: 'A shorter version was written over a longer one, and the end of the old one is still there. The agent cannot read the document. A repair cuts that end off and keeps it in the vault.',
  kind: 'rest',
  describe(fault, subject) {
    const bytes = countBytes(fault.end - fault.start)
    return {
      text: `After the document come ${bytes} that do not belong to it, so the agent cannot read it.`,
      reason: `Cut off what follows the document and keep it in the vault: ${nameBytes(fault, subject)}`,
    }
  },
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    // White space alone would be harmless.
    const end = bytes.lastIndexOf('}') + 1
    const older = bytes.subarray(end - 1 - random.below(Math.min(end - 1, MAX_INFLICTED_BYTES)), end)
    target.write(file, Buffer.concat([bytes, older]))
    return { what: `the last ${older.length} bytes of an older document behind it`, destroyed: 0 }
  },
})
