// Restores the modification time of a database after rethread has written to it. SQLite does not use this
// time; users, file managers and agents do.

import { type Handle, openHandle, statHandle, statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, systemCode } from '../files/system-errors.ts'
import { closeDescriptor } from './database-files.ts'

/**
 * Call it while no other process can write. Content of the log is not in the database yet, but counts as
 * written.
 */
export function lastWrittenNs(path: string): bigint | undefined {
  const times = [path, `${path}-wal`].flatMap(file => {
    const stats = statIfThere(file, 'stat')
    return stats === undefined || stats.size === 0n ? [] : [stats.mtimeNs]
  })
  return times.reduce<bigint | undefined>((last, time) => (last === undefined || time > last ? time : last), undefined)
}

/**
 * Call it after closing the connection. If other processes have the database open, its log still exists and
 * the database itself was not written. If one of them wrote meanwhile, its time stays.
 */
export function restoreWrittenTime(path: string, writtenNs: bigint): void {
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
    // The file belongs to another user and is writable. It is repaired even if its time cannot be restored.
    if (systemCode(error) !== 'EPERM') throw fromWriteError(error, file.path)
  }
}
