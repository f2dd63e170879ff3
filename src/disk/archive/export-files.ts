// Copies files into a folder that a person chose. Nothing that exists there is replaced.
import { dirname } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromWriteError, quote } from '../files/system-errors.ts'
import { makeFolder, removeIfThere } from '../state/own-files.ts'

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

export interface ExportFile {
  write(text: string): void
  /** Puts it in its place. Before this, nothing has that name. */
  commit(): void
  /** Does nothing after a commit. */
  abandon(): void
}

/**
 * A file of a person's choice. It appears when it is complete; an
 * existing one is replaced only if that is allowed.
 */
export function createExportFile(path: string, isReplaced: boolean): ExportFile {
  const refuse = (): void => {
    if (isReplaced || statIfThere(path) === undefined) return
    throw new RethreadError({
      code: 'busy',
      text: `${path} exists already, and is not replaced.`,
      hint: 'Choose another name, or replace it with --force.',
      path,
    })
  }
  refuse()
  const temporary = `${path}.${process.pid}.part`
  let fd: number | undefined
  let at = 0
  try {
    fd = files().create(temporary)
  } catch (error) {
    throw fromWriteError(error, temporary)
  }
  const close = (): void => {
    if (fd !== undefined) files().close(fd)
    fd = undefined
  }
  return {
    write(text) {
      if (fd === undefined) return
      const bytes = Buffer.from(text)
      try {
        for (let done = 0; done < bytes.length; ) done += files().write(fd, bytes.subarray(done), at + done)
        at += bytes.length
      } catch (error) {
        throw fromWriteError(error, path)
      }
    },
    commit() {
      close()
      refuse()
      try {
        files().rename(temporary, path)
      } catch (error) {
        throw fromWriteError(error, path)
      }
    },
    abandon() {
      if (fd === undefined) return
      close()
      removeIfThere(temporary)
    },
  }
}
