// Content that the model's API refuses, on the chain that a resume loads.
import type { RecordIndex } from '../../../../repair/records/record-index.ts'
import type { ContentRepair, LogView, RejectedContent } from '../../../repair.ts'
import { load } from '../../loader/index.ts'
import { findRejected } from './find-rejected.ts'

/** Several damages ask the same question of the same log. */
const known = new WeakMap<LogView, RejectedContent[]>()

export const content: ContentRepair = {
  findRejected(log) {
    const poison = known.get(log) ?? (hasSuspects(log.visible) ? findRejected(log, load(log).chain) : [])
    known.set(log, poison)
    return poison
  },
}

export function hasSuspects(index: RecordIndex): boolean {
  for (let record = 0; record < index.length; record++) if (index.isSuspect(record)) return true
  return false
}
