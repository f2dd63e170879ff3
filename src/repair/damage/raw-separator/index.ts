// U+2028 or U+2029 stands raw in a record. JSON allows it, but the agent's reader of lines ends the line there, and the record is lost to it. Escaped, it means the same.

import { LINE_SEPARATOR, SEPARATOR_BYTES, separatorsIn } from '../../../bytes/separators.ts'
import { paste } from '../../../model/paste.ts'
import type { Detected, LogDamage, LogSubject, Planned } from '../damage.ts'
import { linesOf } from '../shared/break-lines.ts'

const ID = 'raw-separator'
const SPACE = 0x20

export const rawSeparator: LogDamage = {
  id: ID,
  title: 'raw line separator in a record',
  why: 'A text contains a Unicode line separator that was not escaped. The agent takes it for the end of the line and loses the record. A repair escapes it; the text stays the same.',
  framing: 'json-lines',
  concerns: traits => traits.splitsAtSeparators === true && traits.isCompressed !== true,
  detect: subject => [...separatorsInRecords(subject)].map(at => describe(subject, at)),
  plan,
  inflict(target, random) {
    const { filePath } = target.session
    const bytes = target.read(filePath)
    const spaces = linesOf(bytes).flatMap(({ start, end }) => spaceBetweenWords(bytes, start, end))
    const at = spaces[random.below(spaces.length)]
    if (at === undefined) return undefined
    target.write(filePath, Buffer.concat([bytes.subarray(0, at), LINE_SEPARATOR, bytes.subarray(at + 1)]))
    // The text says something else from then on.
    return { what: `a raw U+2028 at ${at}`, destroyed: 1 }
  },
}

/** Outside of a record it is junk like any other. */
function* separatorsInRecords({ index, bytes }: LogSubject): Generator<number, void, void> {
  let record = 0
  for (const at of separatorsIn(bytes)) {
    while (record < index.length && index.end(record) <= at) record++
    if (record < index.length && index.start(record) <= at) yield at
  }
}

function describe({ session }: LogSubject, start: number): Detected {
  const finding = {
    damage: ID,
    severity: 'lost' as const,
    at: { file: session.filePath, start, end: start + SEPARATOR_BYTES },
    text: 'A record contains a raw line separator (U+2028 or U+2029). The agent takes it for a newline and loses the record.',
    hint: `Repair it: ${paste('rethread repair', session.sessionId)}`,
  }
  return { finding }
}

function plan({ session, bytes }: LogSubject, detected: readonly Detected[]): Planned {
  const reason = 'Escape the line separator; the text stays the same'
  const edits = detected.flatMap(({ finding: { at } }) => {
    if (!('start' in at)) return []
    const isLine = bytes.range(at.start, at.end).equals(LINE_SEPARATOR)
    const escaped = Buffer.from(isLine ? '\\u2028' : '\\u2029')
    return [{ start: at.start, end: at.end, bytes: escaped, damage: ID, reason }]
  })
  return { changes: edits.length === 0 ? [] : [{ type: 'patch', file: session.filePath, edits }], refused: [] }
}

/** In a record without spaces of its own, a space between two letters is part of a text. */
function spaceBetweenWords(bytes: Buffer, start: number, end: number): number[] {
  const isLetter = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x61 && byte <= 0x7a
  for (let at = bytes.indexOf(SPACE, start); at !== -1 && at < end; at = bytes.indexOf(SPACE, at + 1))
    if (isLetter(bytes[at - 1]) && isLetter(bytes[at + 1])) return [at]
  return []
}
