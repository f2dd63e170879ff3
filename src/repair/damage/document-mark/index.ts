// A byte order mark is before a document, as some editors leave it. JSON.parse rejects the whole
// document.
import { makeDocumentDamage } from '../shared/documents.ts'

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

export const documentMark = makeDocumentDamage({
  id: 'document-mark',
  title: 'byte order mark before a document',
  why: 'An editor or a copy put an invisible mark at the start of the file. The agent cannot read the document because of it. A repair blanks the mark.',
  kind: 'mark',
  describe: () => ({
    text: 'The document begins with a byte order mark, so the agent cannot read it.',
    reason: 'Blank the byte order mark',
  }),
  inflict(target) {
    const file = target.session.filePath
    target.write(file, Buffer.concat([MARK, target.read(file)]))
    return { what: 'a byte order mark before the document', destroyed: 0 }
  },
})
