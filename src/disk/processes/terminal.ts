// The terminal that a person sits at, whatever stdin and stdout were made to be.
import { closeSync, openSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import { fromSystemError } from '../files/system-errors.ts'

const DEVICE = '/dev/tty'

export interface Terminal {
  input: ReadStream
  output: WriteStream
  close(): void
}

/** Whether this process belongs to a terminal. */
export function hasTerminal(): boolean {
  if (process.platform === 'win32') return process.stdin.isTTY === true && process.stderr.isTTY === true
  try {
    closeSync(openSync(DEVICE, 'r+'))
    return true
  } catch {
    // Whatever the reason, there is nobody who could be asked.
    return false
  }
}

/**
 * Opened for one question, and closed behind it: an open stream reads on, and would take the keys that are meant for a program that gets the
 * terminal next. Whoever opens it closes it.
 */
export function openTerminal(): Terminal {
  if (process.platform === 'win32')
    return { input: process.stdin, output: process.stderr as WriteStream, close: () => void process.stdin.pause() }
  const input = new ReadStream(openDevice())
  const output = new WriteStream(openDevice())
  const resize = (): void => {
    const [columns, rows] = output.getWindowSize()
    Object.assign(output, { columns, rows })
    output.emit('resize')
  }
  process.on('SIGWINCH', resize)
  return {
    input,
    output,
    close() {
      process.off('SIGWINCH', resize)
      input.destroy()
      output.destroy()
    },
  }
}

/** For a program that gets the terminal; on Windows it inherits ours. */
export function withTerminalDevice<T>(use: (stdio: number[]) => T): T {
  if (process.platform === 'win32') return use([0, 1, 2])
  const device = openDevice()
  try {
    return use([device, device, device])
  } finally {
    closeSync(device)
  }
}

function openDevice(): number {
  try {
    return openSync(DEVICE, 'r+')
  } catch (error) {
    throw fromSystemError(error, DEVICE)
  }
}
