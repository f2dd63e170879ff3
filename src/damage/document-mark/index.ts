// A byte order mark before a document, as some editors leave it: JSON.parse refuses the whole document.
import { blankEdit } from '../../bytes/close-object.ts'
import { MARK_BYTES } from '../../bytes/outline.ts'
import { makeDocumentDamage } from '../documents.ts'

const MARK = Buffer.from([0xef, 0xbb, 0xbf])
const SPAN = { start: 0, end: MARK_BYTES }

export const documentMark = makeDocumentDamage({
  id: 'document-mark',
  title: 'byte order mark before a document',
  find({ hasMark }) {
    if (!hasMark) return []
    const text = 'The document begins with a byte order mark: the agent cannot read it.'
    const cure = { edit: blankEdit(SPAN), reason: 'the byte order mark is blanked with spaces' }
    return [{ ...SPAN, severity: 'survived', text, cure }]
  },
  inflict(target) {
    const file = target.session.filePath
    target.write(file, Buffer.concat([MARK, target.read(file)]))
    return { what: 'a byte order mark before the document', destroyed: 0 }
  },
})
