// The file ends in the middle of the document. It is closed behind its last complete element; what stood there half, and behind it, is gone already.
import type { Outline } from '../../bytes/outline.ts'
import { cutOffMessages, isHopeless, pickCut } from '../break-documents.ts'
import type { Cure } from '../documents.ts'
import { makeDocumentDamage } from '../documents.ts'
import { countBytes } from '../lines.ts'

export const cutDocument = makeDocumentDamage({
  id: 'cut-document',
  title: 'document cut short',
  find({ cut, list }) {
    if (cut === undefined) return []
    return [{ start: cut.keep, end: cut.end, severity: 'lost', text: describe(cut, list), cure: close(cut) }]
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
      isBeyondRepair: isHopeless(left, target),
    }
  },
})

function describe({ keep, end }: NonNullable<Outline['cut']>, list: Outline['list']): string {
  const place = `The file ends in the middle of the document, ${countBytes(end - keep)} behind what is complete`
  if (list === undefined) return `${place}. It has no list of messages.`
  const left = list.elements === 1 ? '1 message is' : `${list.elements.toLocaleString('en')} messages are`
  const lost = list.isClosed ? 'fields behind the messages' : 'what came next, and any fields behind the messages,'
  return `${place}. ${left} left; ${lost} may be lost.`
}

function close({ keep, end, closers }: NonNullable<Outline['cut']>): Cure {
  const removed = end === keep ? '' : `; ${countBytes(end - keep)} that are not complete are kept in the vault`
  return {
    edit: { start: keep, end, bytes: Buffer.from(closers) },
    reason: `closed with ${closers} behind the last complete element${removed}`,
  }
}
