// When a database was last written, kept through our own writing. SQLite itself does not go by this time; people, file managers and agents do.

import { type Handle, openHandle, statHandle, statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, systemCode } from '../files/system-errors.ts'
import { closeDescriptor } from './database-files.ts'

/** To be asked while nobody else can write. What stands in a log is not in the database yet, and counts as written to it. */
export function lastWrittenNs(path: string): bigint | undefined {
  const times = [path, `${path}-wal`].flatMap(file => {
    const stats = statIfThere(file, 'stat')
    return stats === undefined || stats.size === 0n ? [] : [stats.mtimeNs]
  })
  return times.reduce<bigint | undefined>((last, time) => (last === undefined || time > last ? time : last), undefined)
}

/**
 * To be called when our connection is closed. Where others have the database open, its log is still there and the database itself was not
 * written; where one of them came meanwhile, the time is theirs.
 */
export function putWrittenBack(path: string, writtenNs: bigint): void {
  if (isInUse(path)) return
  const file = openHandle(path, 'write')
  try {
    setWritten(file, writtenNs)
    if (isInUse(path)) setWritten(file, BigInt(Date.now()) * 1_000_000n)
  } finally {
    closeDescriptor(file.fd)
  }
}

function isInUse(path: string): boolean {
  return ['-wal', '-journal'].some(suffix => statIfThere(path + suffix) !== undefined)
}

function setWritten(file: Handle, writtenNs: bigint): void {
  try {
    files().setTimes(file.fd, statHandle(file).atimeNs, writtenNs)
  } catch (error) {
    // Somebody else's file, in which we may write: that its time cannot be kept is no reason to leave it damaged.
    if (systemCode(error) !== 'EPERM') throw fromWriteError(error, file.path)
  }
}
