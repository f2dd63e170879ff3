// A byte order mark is before the first record, as some editors leave it. JSON parsers reject the first
// line.
import { startsWithByteOrderMark } from '../../../../bytes/text.ts'
import type { LineDamage } from '../line-damage.ts'

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

export const byteOrderMark: LineDamage = {
  id: 'byte-order-mark',
  title: 'byte order mark',
  why: 'An editor or a copy put an invisible mark at the start of the file. The agent cannot read the first record because of it. A repair blanks the mark.',
  rule: {
    findStrays: (line, start) =>
      start === 0 && startsWithByteOrderMark(line) ? [{ from: 0, to: MARK.length, isBorder: true }] : [],
  },
  severity: 'survived',
  text: () => 'The file begins with a byte order mark, so the agent cannot read the first record.',
  reading: {
    severity: 'survived',
    text: () => 'The file begins with a byte order mark.',
    hint: 'Nothing is lost for reading; an agent may refuse the first record.',
  },
  inflict: log => ({
    bytes: Buffer.concat([MARK, log]),
    what: 'a byte order mark before the first record',
    destroyed: 0,
  }),
}
