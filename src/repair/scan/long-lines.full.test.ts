// Lines as long as a scanner may hold, and longer. Some seconds and a gigabyte of memory: only in `npm run test:full`.
import { expect, test } from 'vitest'
import { SCANNERS, scan } from '../../../test/support/scanners.ts'
import { MAX_LINE_BYTES } from '../../bytes/lines.ts'
import { KERNEL_CHUNK_BYTES } from '../../bytes/scanner/kernel.ts'
import type { Describing } from './record-scanner.ts'

const repair: Describing = {
  isRecord: value => typeof value['id'] === 'string',
  describe: ({ id, parent }) => ({ kind: 'talk', id: String(id), parent: typeof parent === 'string' ? parent : null }),
  fields: { fields: { id: { leaf: 'id' }, parent: { leaf: 'id' } } },
}

/** What the kernel holds of an unfinished line. */
const KERNEL_LINE_BYTES = 8 * 1024 * 1024
/** The longest line that gets a kernel of its own. */
const OWN_KERNEL_BYTES = 128 * 1024 * 1024
const [HEAD, TAIL] = ['{"id":"long","parent":"first","other":"', '"}']
const PIECE = Buffer.alloc(KERNEL_CHUNK_BYTES, 'y')

interface Line {
  bytes: number
  /** Stands in the middle of the text. */
  middle?: string
  isLast?: boolean
}

/** A record, a long line and, unless that is the last one, another record, in chunks of the kernel's size. */
function* log({ bytes, middle = '', isLast = false }: Line): Generator<Buffer, void, void> {
  let held = Buffer.from(`{"id":"first"}\n${HEAD}`)
  let left = bytes - HEAD.length - TAIL.length - middle.length
  const half = Math.floor(left / 2)
  const parts = [half, middle, left - half, TAIL, isLast ? '' : '\n{"id":"after","parent":"long"}\n']
  for (const part of parts)
    if (typeof part === 'string') held = Buffer.concat([held, Buffer.from(part)])
    else
      for (left = part; left > 0; ) {
        const taken = Math.min(left, KERNEL_CHUNK_BYTES - held.length)
        held = Buffer.concat([held, PIECE.subarray(0, taken)])
        left -= taken
        if (held.length < KERNEL_CHUNK_BYTES) continue
        yield held
        held = Buffer.alloc(0)
      }
  yield held
}

const AROUND = [-1, 0, 1]

test.each<[string, Line, number]>([
  ...AROUND.map((more): [string, Line, number] => ['the kernel', { bytes: KERNEL_LINE_BYTES + more }, 3]),
  ...AROUND.map((more): [string, Line, number] => [
    'the kernel and a chunk',
    { bytes: KERNEL_LINE_BYTES + KERNEL_CHUNK_BYTES + more },
    3,
  ]),
  ...AROUND.map((more): [string, Line, number] => ['a kernel of its own', { bytes: OWN_KERNEL_BYTES + more }, 3]),
  ['a kernel of its own, without a newline', { bytes: OWN_KERNEL_BYTES, isLast: true }, 2],
  ['12 MB, with a control character', { bytes: 12e6, middle: '\u0001' }, 2],
  ['12 MB, with half of a pair of surrogates', { bytes: 12e6, middle: '\\ud83d' }, 3],
  ['256 MB', { bytes: MAX_LINE_BYTES }, 3],
  ['256 MB, without a newline', { bytes: MAX_LINE_BYTES, isLast: true }, 2],
  ['256 MB, with a control character', { bytes: MAX_LINE_BYTES, middle: '\u0001' }, 2],
  [
    '256 MB, with an escape, a pair of surrogates and half of one',
    { bytes: MAX_LINE_BYTES, middle: '\\n\\ud83d\\ude00\\ud83d' },
    3,
  ],
  ['256 MB and a byte', { bytes: MAX_LINE_BYTES + 1 }, 2],
])('both scanners leave the same behind of a line as long as %s (%o)', (_, line, records) => {
  const [expected, found] = [SCANNERS.js, SCANNERS.wasm].map(scanner => scan(scanner, log(line), repair))
  expect(found).toEqual(expected)
  expect(found?.mark.rows).toBe(records)
})
