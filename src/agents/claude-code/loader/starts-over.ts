// A person can rewind to before the first message. The agent records that, and the next prompt is a new root.
import type { RecordIndex } from '../../../repair/records/record-index.ts'

/**
 * Whether the agent recorded, between the previous message and this root, that the conversation starts over.
 */
export function startsOver(index: RecordIndex, root: number): boolean {
  for (let record = root - 1; record >= 0; record--) {
    if (index.kind(record) === 'other' && index.target(record) === '') return true
    if (index.kind(record) === 'talk' && index.isSidechain(record) === index.isSidechain(root)) return false
  }
  return false
}
