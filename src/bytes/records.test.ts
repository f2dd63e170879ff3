import { expect, test } from 'vitest'
import { inPieces, inTwo } from '../../test/support/chunks.ts'
import { inFull } from '../../test/support/full.ts'
import { expectProportion } from '../../test/support/proportion.ts'
import { below, type Random, randomJson, randomText, seededRandom } from '../../test/support/random.ts'
import { splitLines } from './lines.ts'
import type { Item, LineKind, Stray } from './records.ts'
import { readRecords } from './records.ts'

const isRecord = (value: Record<string, unknown>) => typeof value['type'] === 'string' && 'uuid' in value
const record = (uuid: string, more: object = {}) => JSON.stringify({ type: 'user', uuid, ...more })
/** One kind of broken line for each rule. */
const kinds: LineKind[] = [
  { id: 'mark', rule: { findStrays: (line, start) => (start === 0 ? [...runs(line, 0xef, 3)] : []) } },
  { id: 'zeros', rule: { findStrays: line => runs(line, 0, 1) } },
  { id: 'torn', rule: { place: 'before-record' } },
  { id: 'glued', rule: { place: 'between-records' } },
  { id: 'joined', rule: { joinedBy: Buffer.from('\\n') } },
  { id: 'rest', rule: { place: 'end-of-line' } },
  { id: 'unfinished', rule: { place: 'end-of-file' } },
]

function* runs(line: Buffer, byte: number, length: number): Generator<Stray, void, void> {
  for (let from = line.indexOf(byte); from !== -1; ) {
    let to = from + length
    while (line[to] === byte) to++
    yield { from, to, isBorder: to - from >= 5 || byte !== 0 }
    from = line.indexOf(byte, to)
  }
}

const A = record('a', { text: 'one' })
const B = record('b', { text: 'two' })
const C = record('c', { text: 'three' })

const read = (content: string | Buffer, pieceBytes = 1 << 20): Item[] =>
  [...readRecords(splitLines(inPieces(Buffer.from(content), pieceBytes)), isRecord, kinds)].map(item =>
    item.type === 'record' ? { ...item, bytes: Buffer.from(item.bytes) } : item,
  )

/** Records by their id, junk by its kind and range: short enough to be read in a test. */
const summaryOf = (items: Item[]) =>
  items.map(item => (item.type === 'record' ? item.value['uuid'] : `${item.kind} ${item.start}-${item.end}`))

test('healthy lines are records with their places', () => {
  const items = read(`${A}\n${B}\n`)
  expect(summaryOf(items)).toEqual(['a', 'b'])
  expect(items[1]).toMatchObject({ start: A.length + 1, end: A.length + 1 + B.length })
})

test('an object on a line of its own is a record even if its shape is unknown', () => {
  expect(read('{"brand":"new"}\n')).toMatchObject([{ type: 'record', value: { brand: 'new' } }])
})

test('blank lines and CR LF are not damage', () =>
  expect(summaryOf(read(`${A}\r\n\r\n  \n${B}\r\n`))).toEqual(['a', 'b']))

test('a complete record without a final newline is read', () =>
  expect(summaryOf(read(`${A}\n${B}`))).toEqual(['a', 'b']))

test('an incomplete last line is a torn tail, wherever it is torn', () => {
  for (let length = 1; length < B.length; length++)
    expect(summaryOf(read(`${A}\n${B.slice(0, length)}`))).toEqual([
      'a',
      `unfinished ${A.length + 1}-${A.length + 1 + length}`,
    ])
})

test.each(['42', 'null', '"text"', '[{"type":"user","uuid":"x"}]', 'garbage', '{"type":"user",}', '}'])(
  'a line that is %s is malformed, and its neighbours are read',
  line =>
    expect(summaryOf(read(`${A}\n${line}\n${B}\n`))).toEqual([
      'a',
      `rest ${A.length + 1}-${A.length + 1 + line.length}`,
      'b',
    ]),
)

test('a byte order mark is named and survived', () => {
  expect(summaryOf(read(`\ufeff${A}\n${B}\n`))).toEqual(['mark 0-3', 'a', 'b'])
  expect(summaryOf(read(`${A}\n\ufeff${B}\n`))).toContain('a')
})

test('two and three records on one line are all read', () => {
  expect(summaryOf(read(`${A}${B}\n`))).toEqual(['a', `glued ${A.length}-${A.length}`, 'b'])
  const at = A.length + B.length
  expect(summaryOf(read(`${A}${B}${C}\n`))).toEqual([
    'a',
    `glued ${A.length}-${A.length}`,
    'b',
    `glued ${at}-${at}`,
    'c',
  ])
})

test('a record overrun by another is left out, and the other is read', () => {
  expect(summaryOf(read(`${A.slice(0, 20)}${B}\n${C}\n`))).toEqual(['torn 0-20', 'b', 'c'])
})

test('records between torn ones on one line are all found', () => {
  const torn = A.slice(0, 20)
  const line = `${torn}${B}${torn}${C}`
  const tornAgain = torn.length + B.length
  expect(summaryOf(read(`${line}\n`))).toEqual(['torn 0-20', 'b', `torn ${tornAgain}-${tornAgain + 20}`, 'c'])
  expect(summaryOf(read(`${torn}${B}${C}\n`))).toEqual(['torn 0-20', 'b', `glued ${tornAgain}-${tornAgain}`, 'c'])
  expect(summaryOf(read(`${torn}${B}${torn}\n`))).toEqual(['torn 0-20', 'b', `rest ${tornAgain}-${tornAgain + 20}`])
  expect(summaryOf(read(`${torn}${B}${torn}`))).toEqual(['torn 0-20', 'b', `unfinished ${tornAgain}-${tornAgain + 20}`])
})

test('an object inside a torn record is not taken for a record', () => {
  const torn = '{"type":"user","uuid":"a","message":{"role":"user"}'
  expect(summaryOf(read(`${torn}\n${B}\n`))).toEqual([`rest 0-${torn.length}`, 'b'])
})

test('a spliced record with thousands of objects in it is found', () => {
  const many = record('b', { list: Array.from({ length: 5000 }, (_, n) => ({ n })) })
  expect(summaryOf(read(`${A.slice(0, 20)}${many}\n`))).toEqual(['torn 0-20', 'b'])
})

const randomRecord = (random: Random, uuid: string) =>
  Buffer.from(record(uuid, { text: randomText(random), value: randomJson(random), list: [randomJson(random, 5)] }))

test('of random splices every complete record comes back, byte for byte', () => {
  const random = seededRandom(20261115)
  for (let i = 0; i < inFull(2000, 400); i++) {
    const torn = randomRecord(random, 'torn')
    const cut = 1 + below(random, torn.length - 1)
    const whole = randomRecord(random, 'whole')
    const line = Buffer.concat([torn.subarray(0, cut), whole, Buffer.from(`\n${C}\n`)])
    const items = read(line)
    expect(summaryOf(items), `case ${i}: ${line}`).toEqual([`torn 0-${cut}`, 'whole', 'c'])
    expect(items[1]?.type === 'record' && items[1].bytes.equals(whole), `case ${i}`).toBe(true)
  }
})

test('a record broken by raw newlines inside a string is put together again', () => {
  const [before = '', behind = ''] = record('r', { text: 'one|two' }).split('|')
  const broken = `${before}\n${behind}`
  const items = read(`${A}\n${broken}\n${B}\n`)
  expect(summaryOf(items)).toEqual(['a', `joined ${A.length + 1}-${A.length + 1 + broken.length}`, 'r', 'b'])
  expect(items[2]).toMatchObject({ value: { text: 'one\ntwo' } })
  expect(read(`${before}\nx\n\ny\n${behind}\n`)).toMatchObject([{}, { value: { text: 'one\nx\n\ny\ntwo' } }])
})

test('a torn record is not joined with the healthy lines behind it', () => {
  expect(summaryOf(read(`${A.slice(0, 30)}\n${B}\n${C}\n`))).toEqual(['rest 0-30', 'b', 'c'])
})

test('a record broken over more lines than can be joined is lost, and what follows is read', () => {
  const lost = `${A.slice(0, 30)}\n${'x\n'.repeat(100)}`
  const items = summaryOf(read(`${lost}${B}\n`))
  expect(items.at(-1)).toBe('b')
  expect(items.slice(0, -1)).toHaveLength(101)
})

test('zeros around a record are named, and the record is read', () => {
  expect(summaryOf(read(`\0\0\0${A}\n${B}\0\0\n\0\0\0\0`))).toEqual([
    'zeros 0-3',
    'a',
    `zeros ${3 + A.length + 1 + B.length}-${3 + A.length + 1 + B.length + 2}`,
    'b',
    `zeros ${3 + A.length + 1 + B.length + 3}-${3 + A.length + 1 + B.length + 7}`,
  ])
})

test('zeros inside a string are named and shown as spaces', () => {
  const items = read(`${A.replace('one', 'o\0e')}\n`)
  expect(items).toMatchObject([{ kind: 'zeros' }, { type: 'record', value: { text: 'o e' } }])
})

test('zeros that may have wiped out the border of two records never make one record of both', () => {
  const bytes = Buffer.from(`${A}\n${B}\n${C}\n`)
  const border = [A.length - 3, A.length + 9] as const
  bytes.fill(0, ...border)
  expect(summaryOf(read(bytes))).toEqual([
    `zeros ${border[0]}-${border[1]}`,
    `rest 0-${border[0]}`,
    `rest ${border[1]}-${A.length + 1 + B.length}`,
    'c',
  ])
})

test('a record behind zeros that overran another is read', () => {
  expect(summaryOf(read(`${A.slice(0, 20)}${'\0'.repeat(100)}${B}\n`))).toEqual(['zeros 20-120', 'rest 0-20', 'b'])
})

test('lone surrogates and bytes that are not UTF-8 do not stop the reading', () => {
  expect(read(`${A.replace('one', '\\ud800')}\n`)).toMatchObject([{ value: { text: '\ud800' } }])
  const [before, behind] = [A.slice(0, A.indexOf('one')), A.slice(A.indexOf('one') + 3)]
  for (const invalid of [[0xed, 0xa0, 0x80], [0xff], [0xc3], [0xf0, 0x9f, 0x98]]) {
    const items = read(Buffer.concat([Buffer.from(before), Buffer.from(invalid), Buffer.from(`${behind}\n${B}\n`)]))
    expect(summaryOf(items), String(invalid)).toEqual(['a', 'b'])
    expect(items[0]?.type === 'record' && items[0].value['text']).toMatch(/^\ufffd+$/)
  }
})

test('a U+2028 stays inside its record', () => {
  expect(read(`${record('a', { text: 'x\u2028y' })}\n`)).toMatchObject([{ value: { text: 'x\u2028y' } }])
})

test('nesting of a hundred thousand levels is read or left out, never a crash', () => {
  const deep = `{"type":"user","uuid":"deep","value":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(summaryOf(read(`${deep}\n${A.slice(0, 20)}${deep}\n${deep.slice(0, -5)}\n${B}\n`))).toEqual([
    'deep',
    expect.stringMatching(/^torn/),
    'deep',
    expect.stringMatching(/^rest/),
    'b',
  ])
})

test('a line that is too long is counted and the next is read', () => {
  const lines = [
    { bytes: Buffer.alloc(0), start: 0, end: 300, terminated: true, tooLong: true },
    { bytes: Buffer.from(B), start: 301, end: 301 + B.length, terminated: true, tooLong: false },
  ]
  expect(summaryOf([...readRecords(lines, isRecord, kinds)])).toEqual(['record-too-long 0-300', 'b'])
  const open = { bytes: Buffer.from(A.slice(0, 20)), start: 0, end: 20, terminated: true, tooLong: false }
  expect(summaryOf([...readRecords([open, ...lines], isRecord, kinds)])).toEqual([
    'rest 0-20',
    'record-too-long 0-300',
    'b',
  ])
})

test('it does not matter where a chunk ends', () => {
  const bytes = Buffer.from(
    `\ufeff${A}\n${A.slice(0, 20)}${B}\n${B}${C}\n{"type":"user\n","uuid":"r"}\n\0\0${C}\n${A.slice(0, 9)}`,
  )
  const whole = read(bytes)
  for (let at = 0; at <= bytes.length; at++)
    expect([...readRecords(splitLines(inTwo(bytes, at)), isRecord, kinds)], `cut at ${at}`).toEqual(whole)
})

test('every byte that is not blank is in a record or named as junk', () => {
  const random = seededRandom(3)
  const whole = Buffer.from(Array.from({ length: 12 }, (_, n) => `${randomRecord(random, `r${n}`)}\n`).join(''))
  for (let i = 0; i < inFull(500, 100); i++) {
    const bytes = Buffer.from(whole)
    for (let flips = 0; flips < 4; flips++) bytes[below(random, bytes.length)] = below(random, 256)
    const covered = Buffer.alloc(bytes.length)
    for (const item of read(bytes)) covered.fill(1, item.start, item.end)
    for (let at = 0; at < bytes.length; at++)
      if (covered[at] === 0) expect([0x20, 0x09, 0x0a, 0x0d], `case ${i}, byte ${at}`).toContain(bytes[at])
  }
})

test.each<[string, (n: number) => string]>([
  ['100,000 lines that open a record', n => '{"\n'.repeat(n)],
  ['100,000 lines that could be joined', n => `{"\n${'x\n'.repeat(15)}`.repeat(n / 16)],
  ['one line of openings', n => `${'{"'.repeat(n)}\n`],
  ['one line of borders', n => `${'}{"'.repeat(n)}}\n`],
  ['one line of objects that are no records', n => `${'{"a":{}} '.repeat(n)}\n`],
  ['one unfinished line of records in a list', n => `{"a":[${`${A}, {"x":"}`.repeat(n / 10)}`],
  ['one line of backslashes', n => `{"a":"${'\\'.repeat(n)}"\n`],
  ['one line of zeros and letters', n => `{${'\0a'.repeat(n)}\n`],
])('%s take time in proportion to their bytes', (_, make) => {
  expectProportion(12_500, n => {
    const content = make(n)
    return () => void read(content)
  })
})

test('in a line that is still being written, a record inside the torn one is a piece of it', () => {
  const inner = '{"type":"user","uuid":"inner"}'
  expect(summaryOf(read(Buffer.from(`{"type":"set","list":[${inner},${inner}`)))).toEqual(['unfinished 0-83'])
  expect(summaryOf(read(Buffer.from(`{"type":"progress","data":${inner}`)))).toEqual(['unfinished 0-56'])
  expect(summaryOf(read(Buffer.from(`{"type":"user","te${inner}`)))).toEqual(['torn 0-18', 'inner'])
})
