// Standard error, to which most commands write nothing. Where it is a pipe, Node loads its network code to make the
// stream, which takes milliseconds: so nothing asks for the stream before it writes.
import { fstatSync } from 'node:fs'

const DESCRIPTOR = 2

let isMade = false

/** From now on it is noted whether anything asks for the stream. */
export function watchStderr(): void {
  const { get, ...property } = Object.getOwnPropertyDescriptor(process, 'stderr') ?? {}
  isMade = get === undefined
  if (get === undefined) return
  Object.defineProperty(process, 'stderr', {
    ...property,
    get() {
      isMade = true
      return get.call(process)
    },
  })
}

export function isStderrWritten(): boolean {
  return !isMade || process.stderr.writableLength === 0
}

export function isStderrTerminal(): boolean {
  return fstatSync(DESCRIPTOR).isCharacterDevice() && process.stderr.isTTY === true
}
