// Whether a file is still, or again, what the receipt says it was.
import { hashUpTo, statIfThere, withHandle } from '../files/handles.ts'
import type { FileBefore } from './receipt.ts'

/** The same file (inode), unchanged. */
export function isAsBefore(path: string, before: FileBefore): boolean {
  const stats = statIfThere(path)
  return (
    stats !== undefined &&
    String(stats.ino) === before.inode &&
    String(stats.dev) === before.device &&
    Number(stats.size) === before.size &&
    String(stats.mtimeNs) === before.modifiedNs
  )
}

/** Any file with exactly these bytes. */
export async function hasContent(path: string, size: number, sha256: string): Promise<boolean> {
  const stats = statIfThere(path)
  if (stats === undefined || Number(stats.size) !== size) return false
  return (await withHandle(path, 'read', file => hashUpTo(file, size))) === sha256
}

export async function hasOriginalContent(path: string, before: FileBefore): Promise<boolean> {
  return isAsBefore(path, before) || (await hasContent(path, before.size, before.sha256))
}
