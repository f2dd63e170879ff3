// A person can go back to before the first message and begin again: the agent writes that down, and the next prompt is a root of its own.
import type { RecordIndex } from '../../../repair/records/record-index.ts'

/** Whether the agent noted, between what was said before and this root, that the conversation starts over. */
export function startsOver(index: RecordIndex, root: number): boolean {
  for (let record = root - 1; record >= 0; record--) {
    if (index.kind(record) === 'other' && index.target(record) === '') return true
    if (index.kind(record) === 'talk' && index.isSidechain(record) === index.isSidechain(root)) return false
  }
  return false
}
