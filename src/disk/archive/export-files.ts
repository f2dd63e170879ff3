// Copies files into a folder that a person chose. Nothing that exists there is replaced.
import { dirname } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, quote } from '../files/system-errors.ts'
import { makeFolder } from '../state/own-files.ts'

export function exportFiles(copies: readonly { from: string; to: string }[]): void {
  for (const { to } of copies)
    if (statIfThere(to) !== undefined)
      throw new RethreadError({
        code: 'busy',
        text: `${to} exists already, and is not replaced.`,
        hint: `Choose another folder, or see what is there: ls -l ${quote(to)}`,
        path: to,
      })
  for (const { from, to } of copies) {
    makeFolder(dirname(to))
    try {
      files().copy(from, to)
      files().chmod(to, 0o600)
    } catch (error) {
      throw fromWriteError(error, to)
    }
  }
}

/** A private copy with another content, in a folder of rethread. */
export function writePrivateFile(path: string, content: Buffer): void {
  try {
    makeFolder(dirname(path))
    const fd = files().create(path)
    try {
      for (let at = 0; at < content.length; ) at += files().write(fd, content.subarray(at), at)
    } finally {
      files().close(fd)
    }
  } catch (error) {
    throw fromWriteError(error, path)
  }
}
