// A text of a document contains bytes that JSON does not allow there: raw newlines and other control
// characters, backslashes that escape nothing, NULs, and invalid UTF-8.

import { replaceBytes } from '../lines/break-lines.ts'
import { escapesOf } from '../shared/break-documents.ts'
import { makeDocumentDamage, nameMessage } from '../shared/documents.ts'

export const malformedText = makeDocumentDamage({
  id: 'malformed-text',
  title: 'characters that JSON does not allow in a text',
  why: 'A text contains characters that JSON does not allow, for example a raw newline. The agent cannot read the document. A repair escapes them.',
  kind: 'text',
  describe(fault, { bytes }) {
    const kinds = new Set(fault.edits.map(({ start, end, bytes: by }) => kindOf(bytes.range(start, end), by)))
    const names = [...kinds].join(', ')
    return {
      text: `A text ${nameMessage(fault)} contains characters that JSON does not allow (${names}).`,
      reason: `Escape ${names} in a text ${nameMessage(fault)}`,
    }
  },
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const escapes = escapesOf(bytes, target)
    const found = escapes[random.below(Math.max(1, escapes.length))]
    if (found === undefined) return undefined
    target.write(file, replaceBytes(bytes, found.start, found.end, found.raw))
    return { what: `the escape at ${found.start} made raw`, destroyed: 0 }
  },
})

function kindOf(old: Buffer, by: Buffer): string {
  if (old.length === 0) return 'invalid backslashes'
  if (old.includes(0)) return 'NULs (replaced by spaces)'
  return by[0] === 0xef ? 'bytes that are not UTF-8' : 'raw control characters'
}
