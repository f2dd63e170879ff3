// The system calls that rethread reads with. One object, so that a test can wrap it and make any of them fail.

import type { BigIntStats, Dirent } from 'node:fs'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'

/** Synchronous on purpose: a `stat` through the thread pool costs ten times the call itself, and stores hold thousands of files. */
export interface Files {
  open(path: string): number
  close(fd: number): void
  read(fd: number, buffer: Buffer, position: number): number
  fstat(fd: number): BigIntStats
  stat(path: string): BigIntStats
  lstat(path: string): BigIntStats
  list(path: string): Dirent[]
  realpath(path: string): string
}

export const nodeFiles: Files = {
  // Without waiting: opening a named pipe would otherwise block until somebody writes to it.
  open: path => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)),
  close: fd => closeSync(fd),
  read: (fd, buffer, position) => readSync(fd, buffer, 0, buffer.length, position),
  fstat: fd => fstatSync(fd, { bigint: true }),
  stat: path => statSync(path, { bigint: true }),
  lstat: path => lstatSync(path, { bigint: true }),
  list: path => readdirSync(path, { withFileTypes: true }),
  realpath: path => realpathSync.native(path),
}

let current: Files = nodeFiles

export function files(): Files {
  return current
}

/** For tests alone: every read goes through `wrapped` until the returned function is called. */
export function injectFiles(wrapped: Files): () => void {
  const before = current
  current = wrapped
  return () => {
    current = before
  }
}
