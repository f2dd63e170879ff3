// The file ends in the middle of the document. The repair closes it after its last complete element. The
// incomplete element and everything after it are already lost.

import { formatNumber } from '../../../model/format-number.ts'
import { countBytes } from '../lines/line-damage.ts'
import { cutOffMessages, isBeyondClosing, pickCut } from '../shared/break-documents.ts'
import { makeDocumentDamage, nameBytes, planOf } from '../shared/documents.ts'

export const cutDocument = makeDocumentDamage({
  id: 'cut-document',
  title: 'document cut short',
  why: 'Writing was interrupted, so the document ends in the middle. The agent cannot read any of it. A repair closes it after the last complete message.',
  kind: 'cut',
  describe(fault, subject) {
    const { start, end, edits } = fault
    const { elements, outline } = planOf(subject)
    const left = elements === 1 ? '1 message is' : `${formatNumber(elements)} messages are`
    const isListClosed = outline.list?.isClosed === true
    const lost = isListClosed ? 'fields after the messages' : 'what came next, and any fields after the messages,'
    const place = `The file ends in the middle of the document, ${countBytes(end - start)} after the complete part`
    const closers = edits[0]?.bytes.toString() ?? ''
    const removed = end === start ? '' : `; ${nameBytes(fault, subject)} are not complete; the vault keeps them`
    return {
      text: `${place}. ${left} left; ${lost} may be lost.`,
      reason: `Close the document with ${closers} after the last complete element${removed}`,
    }
  },
  findMore(subject) {
    const { outline, hasList } = planOf(subject)
    const { size } = outline
    if (hasList || outline.isJson || outline.fault !== undefined) return []
    const text = 'The file ends before the list of messages begins.'
    return [{ start: 0, end: size, text, severity: 'lost', repair: { refused: 'it ends before the first message' } }]
  },
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const cut = pickCut(bytes, target, random)
    if (cut === undefined) return undefined
    const left = bytes.subarray(0, cut.at)
    target.write(file, left)
    return {
      what: `cut ${cut.where}, at byte ${cut.at} of ${bytes.length}`,
      destroyed: cutOffMessages(bytes, cut.at, target),
      isBeyondRepair: isBeyondClosing(left, target),
    }
  },
})
