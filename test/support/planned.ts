// Carries out planned changes in the plainest way, to see what the files would then be. What a repair does to make this safe is tested elsewhere.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Change } from '../../src/model/plan.ts'

export function applyChanges(changes: readonly Change[]): void {
  for (const change of changes)
    switch (change.type) {
      case 'patch':
        writeFileSync(change.file, patched(readFileSync(change.file), change.edits))
        break
      case 'remove':
        rmSync(change.file)
        break
      case 'write':
        mkdirSync(dirname(change.file), { recursive: true })
        writeFileSync(change.file, change.bytes)
        break
      default:
        throw new Error(`not for a change of type ${change.type}`)
    }
}

function patched(bytes: Buffer, edits: readonly { start: number; end: number; bytes: Buffer }[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const edit of edits) {
    if (edit.start < at) throw new Error(`the edit at ${edit.start} overlaps the one before it`)
    parts.push(bytes.subarray(at, edit.start), edit.bytes)
    at = edit.end
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}
