// Records that are in a rollout twice. Codex writes each record once, with its time in milliseconds. The
// same bytes again are a copy.
import { isDeepStrictEqual } from 'node:util'
import type { LogView, RepeatRepair } from '../../repair.ts'
import { recordAt } from '../records/record.ts'

export const repeats: RepeatRepair = {
  isUnique({ visible }, record) {
    switch (visible.kind(record)) {
      case 'talk':
        // An output without a role is paired by its call. A second copy of it has its own finding.
        return visible.role(record) !== undefined && !(Number.isNaN(visible.time(record)) && !visible.hasId(record))
      case 'rewind':
      case 'boundary':
        return !Number.isNaN(visible.time(record))
      default:
        return false
    }
  },
  /** The same item, written again with another time or ordinal. */
  isSame(log, first, second) {
    const [one, other] = [itemOf(log, first), itemOf(log, second)]
    return one !== undefined && isDeepStrictEqual(one, other)
  },
}

function itemOf({ bytes, visible }: LogView, record: number): unknown {
  const stored = recordAt(bytes, visible, record)
  return stored?.type === 'response_item' ? stored.payload : undefined
}
