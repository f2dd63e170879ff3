// THE LIST: every class of damage, in the order of repair. One line each.
import { byteOrderMark } from './byte-order-mark/index.ts'
import type { Damage } from './damage.ts'
import { malformedRecord } from './malformed-record/index.ts'
import { missingNewline } from './missing-newline/index.ts'
import { nulRun } from './nul-run/index.ts'
import { rawNewline } from './raw-newline/index.ts'
import { splicedRecord } from './spliced-record/index.ts'
import { tornTail } from './torn-tail/index.ts'

export const damages: readonly Damage[] = [
  byteOrderMark,
  nulRun,
  splicedRecord,
  missingNewline,
  rawNewline,
  malformedRecord,
  tornTail,
]
