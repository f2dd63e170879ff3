// What is read of a proved events.json is what a reading byte by byte finds in it.
import { describe, expect, test } from 'vitest'
import { inTurns } from '../../../../test/support/full.ts'
import { EVENTS_FIXTURE } from '../../../../test/support/jp/store.ts'
import { conditionOf } from '../classify/state.ts'
import type { ArrayEnd, ArrayItem } from './event-file.ts'
import { readArray, scanEvents } from './event-file.ts'
import { type EventFile, type ProvedEnd, proveEvents, readEvents, readProvedEvents } from './proved-events.ts'

const TIME = '2026-11-01 10:00:00.0'

function fileOf(bytes: Buffer): EventFile {
  return {
    path: 'events.json',
    size: bytes.length,
    range: (start, end, into) => {
      const slice = bytes.subarray(start, end)
      return into === undefined ? slice : into.subarray(0, slice.copy(into))
    },
    chunks: () => [bytes],
  }
}

function all<End>(reading: Generator<ArrayItem, End, void>): { items: ArrayItem[]; end: End } {
  const items: ArrayItem[] = []
  let step = reading.next()
  for (; !step.done; step = reading.next()) items.push(step.value)
  return { items, end: step.value }
}

/** Undefined if it is not proved. */
function readProved(bytes: Buffer): { items: ArrayItem[]; end: ProvedEnd } | undefined {
  const ends: number[] = []
  const isProved = proveEvents(fileOf(bytes), (_, end) => ends.push(end) > 0)
  return isProved ? all(readProvedEvents(fileOf(bytes), { first: 0, start: 1, ends })) : undefined
}

function compare(bytes: Buffer): ProvedEnd | undefined {
  const proved = readProved(bytes)
  if (proved === undefined) return undefined
  const { items, end } = all(readArray([bytes]))
  expect(proved.items).toEqual(items)
  expect(end).toMatchObject({ isArray: true, isReadToEnd: true, scanned: { fault: undefined } })
  expect(proved.end).toBe(conditionOf(end.scanned) === undefined ? 'read' : 'doubtful')
  return proved.end
}

function eventsWith(more: string): Buffer {
  const event = (fields: string) => `  {\n    "timestamp": "${TIME}",\n    "type": "hologram"${fields}\n  }`
  return Buffer.from(`[\n${event('')},\n${event(`,\n    ${more}`)}\n]\n`)
}

test('a conversation as JP writes it is proved, and read as a whole', () => {
  expect(compare(Buffer.concat([EVENTS_FIXTURE, Buffer.from('\n')]))).toBe('read')
})

const SHORT = [
  { timestamp: TIME, type: 'turn_start' },
  { timestamp: TIME, type: 'x', a: { n: [-1.5e3, {}], t: 'é\\"\n  }' } },
]

describe('a short one', () => {
  const bytes = Buffer.from(`${JSON.stringify(SHORT, null, 2)}\n`)
  const others = inTurns([...Buffer.from('"\\{}[],:0-.eE+ \n\tntu/\xc3\x28\x00', 'latin1')])

  test('with another byte anywhere is read the same, or not proved', () => {
    for (let at = 0; at < bytes.length; at++)
      for (const other of others()) {
        const changed = Buffer.from(bytes)
        changed[at] = other
        compare(changed)
      }
  })

  test('with bytes that are missing or stand twice is read the same, or not proved', () => {
    for (let at = 0; at < bytes.length; at++)
      for (const length of [1, 5, 70]) {
        compare(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]))
        compare(Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]))
      }
  })

  test('is not proved if it is cut, or if more than white space follows', () => {
    for (let end = 0; end < bytes.length - 1; end++) expect(readProved(bytes.subarray(0, end))).toBeUndefined()
    for (const rest of ['\0', ',', ']', '{}']) expect(readProved(Buffer.from(`${bytes}${rest}`))).toBeUndefined()
    expect(compare(Buffer.from(`${bytes} \t\r\n`))).toBe('read')
  })
})

const nested = (depth: number) => `"a": ${'['.repeat(depth)}${']'.repeat(depth)}`

test.each([
  ['a text with quotes and brackets', `"a": "\\\\\\"[{${'['.repeat(200)} 1e999"`, 'read'],
  ['an exponent', '"a": [1e5, -2.5E-300, 0e999]', 'read'],
  ['a number beyond a double', '"a": 1e999', 'doubtful'],
  ['one that is replaced by another field of its name', '"a": 1e999,\n    "a": 1', 'doubtful'],
  ['one without an exponent', `"a": ${'9'.repeat(400)}`, 'doubtful'],
  ['a long number', `"a": ${'9'.repeat(305)}`, 'read'],
  ['many numbers', `"a": [${'123456789, '.repeat(100)}1]`, 'read'],
  ['deep nesting', nested(120), 'read'],
  ['nesting deeper than JP reads', nested(126), 'doubtful'],
  ['nesting that is replaced by another field of its name', `${nested(140)},\n    "a": 1`, 'doubtful'],
  ['its type twice', '"type": "turn_start"', undefined],
  ['its time twice, written in another way', `"tim\\u0065stamp": "${TIME}"`, undefined],
  ['half of a character', '"a": "\\ud800"', undefined],
])('an event with %s is judged as by a reading of every byte', (_, more, wanted) => {
  expect(compare(eventsWith(more))).toBe(wanted)
})

describe('a large file', () => {
  const large = (more: string) => {
    const [, last = ''] = eventsWith(more).toString().split('},\n')
    const text = `  {\n    "timestamp": "${TIME}",\n    "type": "hologram",\n    "text": "${'é'.repeat(5000)}"\n  },\n`
    return Buffer.from(`[\n${text.repeat(150)}${last}`)
  }

  test.each([
    ['without damage', '"a": 1'],
    ['with a number that JP cannot read', '"a": 1e999'],
    ['with half of a character', '"a": "\\ud800"'],
    ['that is cut', '"a": {'],
  ])('%s is read as one of any size', (_, more) => {
    const bytes = large(more)
    const { items, end } = all<ArrayEnd>(readArray([bytes]))
    expect(all(readEvents(fileOf(bytes)))).toEqual({ items, end })
    expect(end.scanned).toEqual(scanEvents([bytes]))
  })

  test('that is exchanged while it is read is an error, as far as what is there is not JSON', () => {
    const file = fileOf(large('"a": 1'))
    let left = file.size + 1000
    const range: EventFile['range'] = (start, end, into) => {
      left -= end - start
      const bytes = file.range(start, end, into)
      return left < 0 ? bytes.fill('x') : bytes
    }
    expect(() => all(readEvents({ ...file, range }))).toThrow('events.json changed while it was read.')
  })
})
