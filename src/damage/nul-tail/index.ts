// NULs in a document, where blocks of the file were allocated and never written: mostly at its end, sometimes between two values.
import { blankEdit } from '../../bytes/close-object.ts'
import type { Edit } from '../../bytes/edits.ts'
import type { Span } from '../../bytes/json.ts'
import type { Place } from '../documents.ts'
import { makeDocumentDamage } from '../documents.ts'
import { countBytes } from '../lines.ts'

/** Spaces are put in place of shorter runs; longer ones are taken out, as nobody needs so many spaces. */
const MAX_BLANKED_BYTES = 64 * 1024
const MAX_INFLICTED_BYTES = 8192

export const nulTail = makeDocumentDamage({
  id: 'nul-tail',
  title: 'NULs in a document',
  find: ({ nuls, nulTail: tail }) => [
    ...nuls.map(span => place(span, 'between two values')),
    ...(tail === undefined ? [] : [place(tail, 'at the end of the file', removeEdit(tail))]),
  ],
  inflict(target, random) {
    const file = target.session.filePath
    const length = 1 + random.below(MAX_INFLICTED_BYTES)
    target.write(file, Buffer.concat([target.read(file), Buffer.alloc(length)]))
    return { what: `${length} NULs behind the document`, destroyed: 0 }
  },
})

function place(
  span: Span,
  where: string,
  edit = span.end - span.start > MAX_BLANKED_BYTES ? removeEdit(span) : blankEdit(span),
): Place {
  const bytes = countBytes(span.end - span.start)
  return {
    ...span,
    severity: 'survived',
    text: `${bytes} of NULs ${where}: the agent cannot read the document.`,
    cure: {
      edit,
      reason: edit.bytes.length === 0 ? `${bytes} of NULs removed` : `${bytes} of NULs blanked with spaces`,
    },
  }
}

function removeEdit(span: Span): Edit {
  return { ...span, bytes: Buffer.alloc(0) }
}
