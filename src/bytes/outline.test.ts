import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inPieces } from '../../test/support/chunks.ts'
import { JsonMachine } from './json-machine.ts'
import type { Outline } from './outline.ts'
import { outlineDocument } from './outline.ts'

const LISTS = ['messages']

function outline(text: string | Buffer): Outline {
  const bytes = Buffer.from(text)
  return outlineDocument({ size: bytes.length, range: (start, end) => bytes.subarray(start, end) }, LISTS)
}

/** Whether it says of a document what JSON.parse says of it. */
function isClean(text: string | Buffer): boolean {
  const { isClosed, hasMark, nuls, nulTail, commas, rest, fault } = outline(text)
  const parts = [hasMark, nuls.length > 0, nulTail, commas.length > 0, rest, fault]
  return isClosed && parts.every(part => part === undefined || part === false)
}

function isObjectText(text: string): boolean {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const WHOLE = JSON.stringify(
  {
    id: 's1',
    env: { messages: ['not these'], deep: [[{ a: '}]"\\' }]] },
    messages: [{ text: 'one \\ " é 😀' }, { text: 'two', list: [1, [2]] }, 'a word', 7, null, { text: '' }],
    title: 'A title',
    n: -1.5e3,
  },
  null,
  1,
)

describe('what is valid', () => {
  test('is judged as JSON.parse does, wherever a byte is changed', () => {
    const bytes = Buffer.from('{"a":[1,-0.5e+7,true,null,"\\u00e9\\n x"],"messages":[{},[],"é"], "n":10}')
    const others = Buffer.from('"\\{}[],:0-.eE+ \n\tntu/é\x01')
    for (let at = 0; at < bytes.length; at++)
      for (const other of others) {
        const changed = Buffer.from(bytes)
        changed[at] = other
        expect(isClean(changed), JSON.stringify(changed.toString('latin1'))).toBe(isObjectText(changed.toString()))
      }
  })

  test('is judged as JSON.parse does for any document', () => {
    fc.assert(
      fc.property(fc.record({ messages: fc.array(fc.jsonValue()), rest: fc.jsonValue() }), fc.nat(2), (value, indent) =>
        isClean(JSON.stringify(value, null, indent)),
      ),
    )
  })

  test.each(['', ' ', '[]', '"x"', '1', 'null', '{', '{}}', '{"a":01}', '{"a":1.}', '{"a":tru}', '{"a":"\n"}', '{,}'])(
    '%j is no clean document',
    text => expect(isClean(text)).toBe(false),
  )

  test('does not depend on where a chunk ends', () => {
    const seen = (size: number) => {
      const events: string[] = []
      const machine = new JsonMachine({
        depth: 9,
        key: name => events.push(`key ${name}`),
        opened: (depth, at) => events.push(`opened ${depth} ${at}`),
        value: (depth, end) => events.push(`value ${depth} ${end}`),
      })
      for (const piece of inPieces(Buffer.from(WHOLE), size)) machine.push(piece)
      return { events, isClosed: machine.isClosed, offset: machine.offset }
    }
    const whole = seen(10_000)
    expect(whole).toMatchObject({ isClosed: true, offset: Buffer.byteLength(WHOLE) })
    for (const size of [1, 2, 3, 7]) expect(seen(size)).toEqual(whole)
  })
})

describe('a document that is cut', () => {
  const bytes = Buffer.from(WHOLE)

  test('anywhere can be closed behind its last complete element', () => {
    const messages: unknown[] = JSON.parse(WHOLE).messages
    for (let length = 1; length < bytes.length; length++) {
      const { cut, list, isClosed, fault } = outline(bytes.subarray(0, length))
      expect({ isClosed, fault }, `cut at ${length}`).toEqual({ isClosed: false, fault: undefined })
      const closed = JSON.parse(bytes.subarray(0, cut?.keep).toString() + cut?.closers)
      expect(closed.messages ?? [], `cut at ${length}`).toEqual(messages.slice(0, list?.elements ?? 0))
    }
  })

  test('keeps the fields that are complete, and tells their names', () => {
    const { cut, fields } = outline('{"id":"a","messages":[1,2],"env":{"x":1},"meta":{"y":')
    expect([...fields]).toEqual(['id', 'messages', 'env'])
    expect(cut).toEqual({ keep: 40, end: 53, closers: '}' })
  })

  test('does not take a number at its end for a whole one', () => {
    expect(outline('{"id":"a","messages":[1,2').list?.elements).toBe(1)
  })

  test('has no commas or NULs to be mended behind the place where it is closed', () => {
    const { cut, commas, nuls } = outline('{"messages":[{"a":[1,]},\0{"a":[1,]\0,"b":')
    expect(commas).toEqual([20])
    expect(nuls).toEqual([])
    expect(cut?.keep).toBe(23)
  })
})

describe('what can be mended', () => {
  test('commas before a closing bracket are found at every depth', () => {
    expect(outline('{"a":{"b":1,},"messages":[1,2, ],}').commas).toEqual([11, 29, 32])
    expect(outline('{"a":[,]}').fault).toMatchObject({ at: 6 })
    expect(outline('{"a":[1,,]}').fault).toMatchObject({ at: 8 })
  })

  test('NULs between values are runs, and those at the end a tail', () => {
    const { nuls, nulTail, isClosed } = outline('{\0\0"messages"\0:[1\0,2]}\n\0\0\0\n')
    expect(isClosed).toBe(true)
    expect(nuls).toEqual([
      { start: 1, end: 3 },
      { start: 13, end: 14 },
      { start: 17, end: 18 },
    ])
    expect(nulTail).toEqual({ start: 23, end: 27 })
  })

  test('a text that turns into NULs up to the end is a cut with a tail, and one that goes on is broken', () => {
    expect(outline(`{"messages":[1,"x${'\0'.repeat(9)}`)).toMatchObject({ cut: { keep: 14 }, nulTail: { start: 17 } })
    expect(outline('{"messages":[1,"x\0\0y"]}').fault).toMatchObject({ at: 17 })
  })

  test('a byte order mark, and the rest of an older document', () => {
    const { hasMark, rest, isClosed } = outline('\ufeff{"messages":[]}\n"old"}]}')
    expect({ hasMark, rest, isClosed }).toEqual({ hasMark: true, rest: { start: 19, end: 27 }, isClosed: true })
  })

  test('a document of NULs alone is cut before it begins', () => {
    expect(outline('\0\0\0')).toMatchObject({ cut: { keep: 0, closers: '' }, nulTail: { start: 0, end: 3 } })
  })
})

test('what is nested beyond reason is a fault and no crash', () => {
  expect(outline(`{"a":${'['.repeat(1_100_000)}`).fault?.text).toMatch(/nested/)
})

test('what would fill memory with places to mend is a fault', () => {
  expect(outline(`{"a":[${'[1,],'.repeat(11_000)}1]}`).fault).toBeDefined()
  expect(outline(`{"a":[${'\0 '.repeat(11_000)}1]}`).fault).toBeDefined()
})
