// A shorter document was written over a longer one without cutting the file: the end of the older one still stands behind the new one.
import { outlineDocument } from '../../bytes/outline.ts'
import type { DocumentSubject } from '../damage.ts'
import type { Cure } from '../documents.ts'
import { makeDocumentDamage } from '../documents.ts'
import { countBytes } from '../lines.ts'

const MAX_INFLICTED_BYTES = 4096

export const documentRest = makeDocumentDamage({
  id: 'document-rest',
  title: 'rest of an older document',
  find({ rest, isClosed }, subject) {
    if (rest === undefined || !isClosed) return []
    const bytes = countBytes(rest.end - rest.start)
    return [
      {
        ...rest,
        severity: 'survived',
        text: `Behind the document stand ${bytes} that do not belong to it: the agent cannot read it.`,
        cure: remove(rest, subject, bytes),
      },
    ]
  },
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    // White space alone would do no harm.
    const end = bytes.lastIndexOf('}') + 1
    const older = bytes.subarray(end - 1 - random.below(Math.min(end - 1, MAX_INFLICTED_BYTES)), end)
    target.write(file, Buffer.concat([bytes, older]))
    return { what: `the last ${older.length} bytes of an older document behind it`, destroyed: 0 }
  },
})

/** Two whole documents are not a document and a rest: which of them counts, nobody can say. */
function remove(rest: { start: number; end: number }, { bytes, mend }: DocumentSubject, count: string): Cure {
  const range = (start: number, end: number): Buffer => bytes.range(rest.start + start, rest.start + end)
  const other = outlineDocument({ size: rest.end - rest.start, range }, mend.lists)
  if (other.isClosed && other.list !== undefined)
    return { refused: 'a second whole document stands behind the first, and which of them counts cannot be known' }
  return {
    edit: { ...rest, bytes: Buffer.alloc(0) },
    reason: `${count} behind the document are cut off and kept in the vault`,
  }
}
