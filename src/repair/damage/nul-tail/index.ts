// NUL bytes in a JSON document; a log has its own class. Blocks of the file were allocated and never written:
// mostly at its end, sometimes between two values.

import { countNuls } from '../lines/line-damage.ts'
import { makeDocumentDamage } from '../shared/documents.ts'

const MAX_INFLICTED_BYTES = 8192

export const nulTail = makeDocumentDamage({
  id: 'nul-tail',
  title: 'NUL bytes in a document',
  why: 'The machine lost power or the disk was full while the file was written, which leaves NUL bytes. The agent cannot read the document. A repair removes or blanks them.',
  kind: 'nuls',
  describe({ start, end, edits }, { bytes }) {
    const nuls = countNuls(end - start)
    const where = end === bytes.size ? 'at the end of the file' : 'between two values'
    const isBlanked = edits.some(edit => edit.bytes.length > 0)
    return {
      text: `${nuls} ${where}, so the agent cannot read the document.`,
      reason: isBlanked ? `Blank ${nuls}` : `Remove ${nuls}`,
    }
  },
  inflict(target, random) {
    const file = target.session.filePath
    const length = 1 + random.below(MAX_INFLICTED_BYTES)
    target.write(file, Buffer.concat([target.read(file), Buffer.alloc(length)]))
    return { what: `${countNuls(length)} after the document`, destroyed: 0 }
  },
})
