// A document was written twice into one file, one copy after the other. One of them may be cut short.
import { listStart } from '../shared/break-documents.ts'
import { makeDocumentDamage, nameBytes } from '../shared/documents.ts'

export const doubledDocument = makeDocumentDamage({
  id: 'doubled-document',
  title: 'document written twice',
  why: 'The document was written twice into one file. The agent cannot read any of it. A repair keeps the more complete one, and the vault keeps the other.',
  kind: 'copy',
  describe(fault, subject) {
    const bytes = nameBytes(fault, subject)
    return {
      text: `The file contains the document more than once, so the agent cannot read it. The other copy has nothing extra: ${bytes}.`,
      reason: `Remove the other copy and keep it in the vault: ${bytes}`,
    }
  },
  inflict(target, random) {
    const file = target.session.filePath
    const bytes = target.read(file)
    const begin = listStart(bytes, target)
    if (begin === undefined) return undefined
    const half = bytes.subarray(0, begin + random.below(bytes.length - begin))
    const [what, copies] = pickCopies(bytes, half, random.below(3))
    target.write(file, Buffer.concat(copies))
    return { what, destroyed: 0 }
  },
})

function pickCopies(whole: Buffer, half: Buffer, which: number): [what: string, copies: Buffer[]] {
  switch (which) {
    case 0:
      return ['the document written twice', [whole, whole]]
    case 1:
      return [`the first ${half.length} bytes of the document, and all of it behind them`, [half, whole]]
    default:
      return [`the document, and its first ${half.length} bytes behind it`, [whole, half]]
  }
}
