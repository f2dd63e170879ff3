// The bytes of a file that has been classified, if it still is that file.
import { entryAt, withPlainFile } from '../../../disk/files/plain-file.ts'
import { assertInside, realPath } from '../../../disk/files/read.ts'
import { hasErrorCode } from '../../../model/errors.ts'
import type { FileMark } from '../classify/state.ts'

export interface ReadOptions {
  path: string
  /** Absent: whatever is there now. */
  identity?: FileMark
}

/** Undefined where there is no regular file, or another than was looked at. A link is followed, but not out of the root. */
export function readState({ path, identity }: ReadOptions, root: string): Buffer | undefined {
  const looked = entryAt(path)
  if (looked.type === 'missing' || !isSame(looked.stats, identity)) return undefined
  if (looked.type === 'file') return withPlainFile(path, looked.stats, file => file.all())
  if (looked.type !== 'link') return undefined
  try {
    assertInside(path, root)
    const real = realPath(path)
    const target = entryAt(real)
    return target.type === 'file' ? withPlainFile(real, target.stats, file => file.all()) : undefined
  } catch (error) {
    if (hasErrorCode(error, 'not-found') || hasErrorCode(error, 'outside-store')) return undefined
    throw error
  }
}

function isSame(
  stats: { ino: bigint; dev: bigint; size: bigint; mtimeNs: bigint },
  mark: FileMark | undefined,
): boolean {
  if (mark === undefined) return true
  return (
    String(stats.ino) === mark.inode &&
    String(stats.dev) === mark.device &&
    Number(stats.size) === mark.size &&
    stats.mtimeNs === mark.mtimeNs
  )
}
