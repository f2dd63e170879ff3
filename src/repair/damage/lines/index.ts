// THE LIST of broken lines, in the order of repair. One line each.
import type { LinePlace } from '../../../bytes/records.ts'
import { byteOrderMark } from './byte-order-mark/index.ts'
import type { LineDamage } from './line-damage.ts'
import { malformedRecord } from './malformed-record/index.ts'
import { missingNewline } from './missing-newline/index.ts'
import { nulRun } from './nul-run/index.ts'
import { rawNewline } from './raw-newline/index.ts'
import { rawSeparator } from './raw-separator/index.ts'
import { splicedRecord } from './spliced-record/index.ts'
import { tornTail } from './torn-tail/index.ts'

export const brokenLines: readonly LineDamage[] = [
  byteOrderMark,
  nulRun,
  splicedRecord,
  missingNewline,
  rawNewline,
  rawSeparator,
  malformedRecord,
  tornTail,
]

/** Whether this damage class occurs at this place of a line. */
export function standsAt(place: LinePlace, damage: string): boolean {
  return brokenLines.some(
    ({ id, rule }) => id === damage && rule !== undefined && 'place' in rule && rule.place === place,
  )
}
