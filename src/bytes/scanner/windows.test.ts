// The kernel marks its input in windows that end with a line. Where they end makes no difference to a line.
import { expect, test } from 'vitest'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import { FIRST_WITHOUT_SHAPE, KERNEL_CHUNK_BYTES, NUMBERS_PER_ROW } from './kernel.ts'

const UNCLEAR = FIRST_WITHOUT_SHAPE + 1

interface Row {
  start: number
  end: number
  /** Its shape, or the number that says why it has none. */
  shape: string | number
}

/** In chunks, as a file is read. */
function scan(bytes: Buffer): Row[] {
  const kernel = loadScanner()
  if (kernel === undefined) throw new Error('This Node cannot run the scanner.')
  const found: Row[] = []
  const onRows = (count: number): void => {
    for (let row = 0; row < count; row++) {
      const [start = 0, end = 0, shape = 0] = kernel.rows.subarray(row * NUMBERS_PER_ROW)
      const text = shape < FIRST_WITHOUT_SHAPE ? kernel.shape(shape) : shape
      found.push({ start: kernel.base + start, end: kernel.base + end, shape: text })
    }
  }
  kernel.start({ fields: { id: { leaf: 'id' }, kind: { leaf: 'word' } } }, { a: 1, b: 2 }, 0)
  for (let at = 0; at < bytes.length; at += KERNEL_CHUNK_BYTES)
    expect(kernel.scan(bytes.subarray(at, at + KERNEL_CHUNK_BYTES), onRows)).toBe(true)
  kernel.finish(onRows)
  return found
}

/** What is expected of lines with these shapes. */
function rowsOf(lines: readonly (readonly [line: string, shape: string | number])[]): Row[] {
  let start = 0
  return lines.map(([line, shape]) => {
    const row = { start, end: start + line.length, shape }
    start += line.length + 1
    return row
  })
}

const SHORT = ['{"id":"s","kind":"short"}', '{"id":\u0001,"kind":"short"}'] as const
const around = Array.from({ length: 3000 }, () => SHORT)
const join = (lines: readonly (readonly [string, unknown])[]) => Buffer.from(lines.map(([line]) => line).join('\n'))

/** A line of so many bytes in which `piece` is repeated. */
function longLine(bytes: number, [before, piece, after]: readonly [string, string, string]): string {
  return before + piece.repeat(Math.floor((bytes - before.length - after.length) / piece.length)) + after
}

const text = ['{"id":"long","text":"', 'a \\" text, {with} [all]: ', '"}'] as const
const array = ['{"id":"long","list":[', '1,', '1]}'] as const

test.each([
  ['a text as long as a chunk', text, KERNEL_CHUNK_BYTES],
  ['a text as long as a window', text, KERNEL_CHUNK_BYTES + 128 * 1024],
  ['a text of 3 MB', text, 3e6],
  ['an array of 600 kB', array, 600e3],
  ['an array of 2 MB', array, 2e6],
])('%s and the lines around it are proved', (_, pieces, bytes) => {
  for (const more of [0, 1, 63, 64, 65]) {
    const lines = [...around, [longLine(bytes + more, pieces), '{"id":\u0001}'] as const, ...around]
    expect(scan(join(lines))).toEqual(rowsOf(lines))
  }
})

test('a long line with too many places is left to the host, those around it are not', () => {
  for (const bytes of [4e6, 8e6]) {
    const lines = [...around, [longLine(bytes, array), UNCLEAR] as const, ...around]
    expect(scan(join(lines))).toEqual(rowsOf(lines))
  }
})

test('a long line that is not an object has no shape, nor has a line with invalid UTF-8 after it', () => {
  const lines = [...around, [`${longLine(2e6, text)}}`, UNCLEAR - 1] as const, ...around]
  expect(scan(join(lines))).toEqual(rowsOf(lines))
  const bytes = join([...around, [longLine(2e6, text), ''], ['{"id":"?"}', ''], ...around])
  bytes[bytes.indexOf('?')] = 0xff
  expect(scan(bytes)[around.length + 1]?.shape).toBe(UNCLEAR)
})
