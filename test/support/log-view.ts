// A log as a check sees it, and as it is after the edits of a plan.
import { readFileSync } from 'node:fs'
import type { LogRepair, LogView } from '../../src/agents/repair.ts'
import { Pieces } from '../../src/bytes/edits.ts'
import type { Change } from '../../src/model/plan.ts'
import { isPatch } from '../../src/model/plan.ts'
import type { SessionRef } from '../../src/model/session.ts'
import { indexLog } from '../../src/repair/scan/scan-log.ts'

export function viewOf(session: SessionRef, repair: LogRepair, bytes = readFileSync(session.filePath)): LogView {
  const { index } = indexLog([bytes], repair)
  const range = (start: number, end: number): Buffer => bytes.subarray(start, end)
  return { session, index, visible: index.onlyWhole(), bytes: { size: bytes.length, range } }
}

/** The bytes of the session's file after the patches. */
export function patched({ filePath }: SessionRef, changes: readonly Change[]): Buffer {
  const bytes = readFileSync(filePath)
  const edits = changes.filter(isPatch).flatMap(change => (change.file === filePath ? change.edits : []))
  const view = Pieces.whole(bytes.length).edit(edits)
  const read = function* (start: number, end: number): Generator<Buffer, void, void> {
    yield bytes.subarray(start, end)
  }
  return Buffer.concat([...view.chunks(0, view.size, read)])
}
