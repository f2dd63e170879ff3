// Where a command prints: results on stdout, progress and remarks on stderr. Plain text in a pipe, styled in
// a terminal.

import { styleText } from 'node:util'

export interface Output {
  /** Whether stdout is a terminal. */
  isTerminal: boolean
  columns: number
  write(text: string): Promise<void>
  /** Resolves when the bytes are written: then the caller may use their memory again. */
  writeBytes(bytes: Buffer): Promise<void>
  /** Prints to stderr. */
  remark(text: string): void
  style(style: Style, text: string): string
}

export type Style = 'bold' | 'dim' | 'accent' | 'warn' | 'bad' | 'good' | 'user'

const COLORS: Record<Style, Parameters<typeof styleText>[0]> = {
  bold: ['bold'],
  dim: ['dim'],
  accent: ['cyan'],
  warn: ['yellow'],
  bad: ['red'],
  good: ['green'],
  user: ['bold', 'green'],
}

const PLAIN_COLUMNS = 120

export function makeOutput(streams: Pick<NodeJS.Process, 'stdout' | 'stderr'>): Output {
  const { stdout } = streams
  const isTerminal = stdout.isTTY === true
  const write = (chunk: string | Buffer): Promise<void> =>
    stdout.write(chunk) ? Promise.resolve() : new Promise(resolve => stdout.once('drain', resolve))
  return {
    isTerminal,
    columns: isTerminal ? stdout.columns : PLAIN_COLUMNS,
    write,
    writeBytes: bytes => new Promise(resolve => stdout.write(bytes, () => resolve())),
    remark: text => void streams.stderr.write(`${text}\n`),
    style: (style, text) => (hasColors(stdout) ? styleText(COLORS[style], text, { validateStream: false }) : text),
  }
}

function hasColors(stream: NodeJS.WriteStream): boolean {
  if (process.env['NO_COLOR']) return false
  if (process.env['FORCE_COLOR']) return process.env['FORCE_COLOR'] !== '0'
  return stream.isTTY === true && process.env['TERM'] !== 'dumb'
}
