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

/** Whether it agrees with JSON.parse about a document. */
function isClean(text: string | Buffer): boolean {
  return outline(text).isJson
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

describe('the parts of a document', () => {
  const bytes = Buffer.from(WHOLE)

  test('are counted as far as they are complete, wherever it is cut', () => {
    const messages: unknown[] = JSON.parse(WHOLE).messages
    for (let length = 1; length < bytes.length; length++) {
      const { list, isClosed, isJson, fault } = outline(bytes.subarray(0, length))
      expect({ isClosed, isJson, fault }, `cut at ${length}`).toEqual({
        isClosed: false,
        isJson: false,
        fault: undefined,
      })
      if (list === undefined || list.elements === 0) continue
      const closed = JSON.parse(`${bytes.subarray(0, list.end)}]}`)
      expect(closed.messages, `cut at ${length}`).toEqual(messages.slice(0, list.elements))
    }
  })

  test('are named as far as they are complete', () => {
    const { list, fields } = outline('{"id":"a","messages":[1,2],"env":{"x":1},"meta":{"y":')
    expect([...fields]).toEqual(['id', 'messages', 'env'])
    expect(list).toEqual({ name: 'messages', elements: 2, isClosed: true, begin: 22, end: 25, ends: [23, 25] })
  })

  test('do not include a number that the end of the bytes may have cut', () => {
    expect(outline('{"id":"a","messages":[1,2').list?.elements).toBe(1)
  })
})

test('bytes that are not UTF-8 are JSON to a parser that decodes them, but not clean', () => {
  const bytes = Buffer.concat([Buffer.from('{"messages":["a'), Buffer.from([0xff, 0xc3]), Buffer.from('b"]}')])
  expect(outline(bytes)).toMatchObject({ isJson: true, isClean: false })
  expect(outline('{"messages":["é😀"]}')).toMatchObject({ isJson: true, isClean: true })
})

test('very deep nesting is a fault and not a crash', () => {
  expect(outline(`{"a":${'['.repeat(1_100_000)}`).fault?.text).toMatch(/nested/)
})
