// From what a scan found to the state of a file.
import type { FaultKind, JsonScanned } from './fault.ts'
import type { Condition } from './state.ts'

const SOFT: Partial<Record<FaultKind, SoftName>> = {
  utf8: 'invalid-utf8',
  surrogate: 'lone-surrogate',
  depth: 'too-deep',
  number: 'number-out-of-range',
}
type SoftName = 'invalid-utf8' | 'lone-surrogate' | 'too-deep' | 'number-out-of-range'

/** Undefined where it is JSON that can be read to the last value. */
export function conditionOf({ fault, soft, isBlank }: JsonScanned): Condition | undefined {
  if (fault !== undefined) {
    if (isBlank) return { type: 'empty', fault }
    return { type: fault.kind === 'end' ? 'truncated' : 'invalid-json', fault }
  }
  const [first] = soft.toSorted((a, b) => a.offset - b.offset)
  if (first === undefined) return undefined
  const type = SOFT[first.kind]
  return type === undefined ? { type: 'invalid-json', fault: first } : { type, fault: first }
}
