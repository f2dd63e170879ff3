// What the kernel proves of a document is what a reading byte by byte finds.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inFull } from '../../../test/support/full.ts'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import type { Outline } from '../outline.ts'
import { readOutline } from '../outline.ts'
import { proveDocument } from './prove-document.ts'

const LISTS = ['messages']
const SMALLEST_CHUNK = 24
const kernel = loadScanner()
if (kernel === undefined) throw new Error('This Node cannot run the scanner.')
const { chunk } = kernel

function prove(bytes: Buffer, chunkBytes = chunk.length): Outline | undefined {
  if (kernel === undefined) return undefined
  return proveDocument(() => kernel, sliceable(bytes), LISTS, chunkBytes)
}

function sliceable(bytes: Buffer) {
  return {
    size: bytes.length,
    range: (start: number, end: number, into?: Buffer) => {
      const slice = bytes.subarray(start, end)
      return into === undefined ? slice : into.subarray(0, slice.copy(into))
    },
  }
}

/** As the agents write it. */
function write(value: object): Buffer {
  return Buffer.from(JSON.stringify(value, null, 2))
}

const DOCUMENT = {
  id: 's1',
  env: { messages: ['not these'], deep: [[{ a: '}]"\\' }]] },
  messages: [
    { text: 'one \\ " é 😀', lines: 'a\nb\n    }\n  ]' },
    { text: 'two', list: [1, [2], {}, { a: [] }] },
    { deep: { messages: [{ a: {} }] } },
  ],
  title: 'A title',
  n: -1.5e3,
}

describe('a valid document', () => {
  test('is proved, with the same outline, wherever chunks end', () => {
    const bytes = write(DOCUMENT)
    const known = readOutline(sliceable(bytes), LISTS)
    expect(known.isClean).toBe(true)
    for (let size = SMALLEST_CHUNK; size <= bytes.length + 1; size++)
      expect(prove(bytes, size), `${size}`).toEqual(known)
  })

  test('of any objects is proved with the same outline', () => {
    const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()))
    fc.assert(
      fc.property(fc.record({ id: fc.jsonValue(), messages: objects, rest: fc.jsonValue() }), value => {
        const bytes = write(value)
        const proved = prove(bytes, SMALLEST_CHUNK + (bytes.length % 97))
        if (proved !== undefined) expect(proved).toEqual(readOutline(sliceable(bytes), LISTS))
      }),
      { numRuns: inFull(5000, 200) },
    )
  })

  test('is left to the reading byte by byte if its list is empty, has other values, comes twice or is not there', () => {
    const of = (messages: unknown): object => ({ id: 1, messages, n: 1 })
    for (const value of [of([]), of([1, {}]), of([{ a: 1 }, 'a']), of([{ a: 1 }, {}]), of([[{}]]), of({}), {}])
      expect(prove(write(value))).toBeUndefined()
    const twice = write(DOCUMENT).toString().replace('"title": "A title"', '"messages": [\n    {\n    }\n  ]')
    expect(readOutline(sliceable(Buffer.from(twice)), LISTS)).toMatchObject({ isClean: true, list: { elements: 4 } })
    expect(prove(Buffer.from(twice))).toBeUndefined()
    expect(prove(Buffer.from(JSON.stringify(DOCUMENT)))).toBeUndefined()
  })
})

describe('a damaged document is never proved', () => {
  const bytes = write(DOCUMENT)

  test('wherever a byte is another', () => {
    const others = Buffer.from('"\\{}[],:0-.eE+ \n\tntu/\xc3\x28\x00')
    for (let at = 0; at < bytes.length; at++)
      for (const other of others) {
        const changed = Buffer.from(bytes)
        changed[at] = other
        const proved = prove(changed)
        if (proved !== undefined) expect(proved, `${at} ${other}`).toEqual(readOutline(sliceable(changed), LISTS))
      }
  })

  test('wherever bytes are missing or stand twice', () => {
    for (let at = 0; at < bytes.length; at++)
      for (const length of [1, 2, 7, 40]) {
        const without = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
        const twice = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
        for (const changed of [without, twice]) {
          const proved = prove(changed, SMALLEST_CHUNK + at)
          if (proved !== undefined) expect(proved).toEqual(readOutline(sliceable(changed), LISTS))
        }
      }
  })

  test('wherever it is cut', () => {
    for (let end = 0; end < bytes.length; end++)
      expect(prove(bytes.subarray(0, end), SMALLEST_CHUNK + end)).toBeUndefined()
  })

  test('a file that becomes shorter while it is read is not proved', () => {
    if (kernel === undefined) return
    const shrunk = { size: bytes.length + 100, range: sliceable(bytes).range }
    expect(proveDocument(() => kernel, shrunk, LISTS)).toBeUndefined()
  })
})

test('elements of many chunks, and one that is longer than the kernel can hold', () => {
  const long = (length: number): object => ({ id: 1, messages: [{ text: 'x'.repeat(length) }, { text: 'y' }] })
  const several = write(long(3 * chunk.length))
  expect(prove(several)).toEqual(readOutline(sliceable(several), LISTS))
  expect(prove(write(long(10 * 1024 * 1024)))).toBeUndefined()
})
