// A byte order mark before the first record, as some editors leave it: readers of JSON refuse the first line.
import { makeLineDamage } from '../shared/lines.ts'

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

export const byteOrderMark = makeLineDamage({
  id: 'byte-order-mark',
  title: 'byte order mark',
  why: 'An editor or a copy put an invisible mark at the start of the file. The agent cannot read the first record because of it. A repair blanks the mark.',
  kind: 'byte-order-mark',
  severity: 'survived',
  text: () => 'The file begins with a byte order mark, so the agent cannot read the first record.',
  inflict(target) {
    const bytes = target.read(target.session.filePath)
    target.write(target.session.filePath, Buffer.concat([MARK, bytes]))
    return { what: 'a byte order mark before the first record', destroyed: 0 }
  },
})
