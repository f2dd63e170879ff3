// The terminal of the user, whatever stdin and stdout are.
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
    // Without a terminal there is no user to ask.
    return false
  }
}

/**
 * Opened for one question and closed after it. An open stream would read the keys meant for the next program
 * that gets the terminal. The caller must close it.
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

/** For a program that gets the terminal. On Windows it inherits the one of rethread. */
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
