// Writes to a file that may be full, such as a terminal whose program does not read, without waiting for it.

import { files } from '../files/system-calls.ts'
import { systemCode } from '../files/system-errors.ts'

/** Returns the number of bytes written, 0 where none can be at the moment. The file must be non-blocking. */
export function writeSome(fd: number, bytes: Buffer): number {
  try {
    return files().write(fd, bytes, null)
  } catch (error) {
    if (systemCode(error) === 'EAGAIN') return 0
    throw error
  }
}
