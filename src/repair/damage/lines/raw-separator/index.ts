// U+2028 or U+2029 is in a record unescaped. JSON allows it, but the agent's line reader ends the line
// there and loses the record. The repair escapes it; the meaning stays the same.
import { LINE_SEPARATOR, SEPARATOR_BYTES, separatorsIn } from '../../../../bytes/separators.ts'
import { breakableLines, replaceBytes } from '../break-lines.ts'
import type { BytePlace, LineDamage, LineLog } from '../line-damage.ts'

const SPACE = 0x20

export const rawSeparator: LineDamage = {
  id: 'raw-separator',
  title: 'raw line separator in a record',
  why: 'A text contains a Unicode line separator that was not escaped. The agent takes it for the end of the line and loses the record. A repair escapes it; the text stays the same.',
  appliesTo: traits => traits.splitsAtSeparators === true,
  find: separatorsInRecords,
  severity: 'lost',
  text: () =>
    'A record contains a raw line separator (U+2028 or U+2029). The agent takes it for a newline and loses the record.',
  repair({ bytes }, { start, end }) {
    const isLine = bytes.range(start, end).equals(LINE_SEPARATOR)
    return {
      edits: [{ start, end, bytes: Buffer.from(isLine ? '\\u2028' : '\\u2029') }],
      reason: 'Escape the line separator; the text stays the same',
    }
  },
  inflict(log, random) {
    const spaces = breakableLines(log).flatMap(({ start, end }) => spaceBetweenWords(log, start, end))
    const at = spaces[random.below(spaces.length)]
    if (at === undefined) return undefined
    // This changes the text of the record.
    return { bytes: replaceBytes(log, at, at + 1, LINE_SEPARATOR), what: `a raw U+2028 at ${at}`, destroyed: 1 }
  },
}

/** Outside of a record it is reported as junk. */
function* separatorsInRecords({ index, bytes }: LineLog): Generator<BytePlace, void, void> {
  let record = 0
  for (const start of separatorsIn(bytes)) {
    while (record < index.length && index.end(record) <= start) record++
    if (record < index.length && index.start(record) <= start) yield { start, end: start + SEPARATOR_BYTES }
  }
}

/** In a record without spaces of its own, a space between two letters is part of a text. */
function spaceBetweenWords(bytes: Buffer, start: number, end: number): number[] {
  const isLetter = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x61 && byte <= 0x7a
  for (let at = bytes.indexOf(SPACE, start); at !== -1 && at < end; at = bytes.indexOf(SPACE, at + 1))
    if (isLetter(bytes[at - 1]) && isLetter(bytes[at + 1])) return [at]
  return []
}
