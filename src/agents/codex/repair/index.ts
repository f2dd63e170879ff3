// The adapter for checks and repairs of rollouts.
import type { LogRepair } from '../../repair.ts'
import { describe } from '../records/describe.ts'
import { isWholeRecord } from '../records/record.ts'
import { fields } from './fields.ts'
import { header } from './header.ts'
import { afterEdit, breakIndex, checkIndex, companions } from './index-problems.ts'
import { load } from './loader.ts'
import { refusals } from './refused-records.ts'
import { repeats } from './repeats.ts'
import { tools } from './tools.ts'

export const repair: LogRepair = {
  framing: 'json-lines',
  // In a damaged line, a bare item of the first generation looks the same as the payload of a later record
  // that lost its last brace.
  isRecord: value => isWholeRecord(value, true),
  describe,
  fields,
  load,
  header,
  repeats,
  refusals,
  tools,
  checkIndex,
  breakIndex,
  companions,
  afterEdit,
}
