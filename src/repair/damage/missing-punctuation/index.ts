// A document lacks a comma, a colon, a quote or a bracket, or has one byte too many. The meaning is
// unambiguous, but no JSON parser accepts it.

import { replaceBytes } from '../lines/break-lines.ts'
import { pickMark } from '../shared/break-documents.ts'
import { makeDocumentDamage, nameMessage } from '../shared/documents.ts'

export const missingPunctuation = makeDocumentDamage({
  id: 'missing-punctuation',
  title: 'comma, quote or bracket missing in a document',
  why: 'A bracket, a comma or a quote is missing. The agent cannot read the document. A repair puts it back where there is only one place for it.',
  kind: 'structure',
  describe(fault) {
    const inserted = fault.edits.filter(({ start, end }) => start === end).map(({ bytes }) => bytes.toString())
    const what = inserted.length === 0 ? 'stray bytes' : `${inserted.join(' ')} missing`
    const done = inserted.length === 0 ? 'blanked' : 'inserted'
    return {
      text: `The document is broken ${nameMessage(fault)} (${what}), so the agent cannot read it.`,
      reason: `${what} ${nameMessage(fault)}: ${done}`,
    }
  },
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const mark = pickMark(bytes, target, random)
    if (mark === undefined) return undefined
    target.write(file, replaceBytes(bytes, mark.at, mark.at + 1, ''))
    return { what: `${mark.what}, at ${mark.at}, taken out`, destroyed: 0 }
  },
})
