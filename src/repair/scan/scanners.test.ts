// Both scanners, the one in JavaScript and the one in WebAssembly, hold to the same suite, and give the same index byte for byte.
import { describe, expect, test } from 'vitest'
import { inPieces, inTwo } from '../../../test/support/chunks.ts'
import { inFull } from '../../../test/support/full.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { below, seededRandom } from '../../../test/support/random.ts'
import { scannerCase } from '../../../test/support/scanner-cases.ts'
import { keptOf, kernelLines, SCANNERS, scan } from '../../../test/support/scanners.ts'
import { agents } from '../../agents/index.ts'
import type { LogRepair } from '../../agents/repair.ts'
import { parseObject } from '../../bytes/json.ts'
import type { Field } from '../../bytes/scanner/fields.ts'
import { openFile } from '../../disk/files/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { RecordFacts } from '../records/record-facts.ts'
import { chooseScanner } from './choose-scanner.ts'
import { indexLog } from './scan-log.ts'

/** Files of three lines on average: in full, more than a million lines. */
const INDEXED = inFull(100_000, 250)
const PROVED = inFull(300_000, 500)
const BORDERED = inFull(200, 8)
const LONG_MS = 60 * 60_000
const REPAIRS = await declaringRepairs()

/** What every store that declares its fields knows of its log. */
async function declaringRepairs(): Promise<(LogRepair & { fields: Field })[]> {
  const repairs: (LogRepair & { fields: Field })[] = []
  for (const store of agents.flatMap(agent => agent.stores)) {
    const repair = await store.repair?.()
    if (repair?.framing === 'json-lines' && repair.fields !== undefined)
      repairs.push({ ...repair, fields: repair.fields })
  }
  return repairs
}

/** One after the other for many cases: with another store, shapes start over. */
function repairFor(number: number): LogRepair & { fields: Field } {
  const repair = REPAIRS[Math.floor(number / 100) % REPAIRS.length]
  if (repair === undefined) throw new Error('No store declares its fields.')
  return repair
}

/** Records with an id and a parent, and which of them had to be described one by one. */
function makeToy() {
  const described: unknown[] = []
  const toy = {
    isRecord: (value: Record<string, unknown>) => typeof value['id'] === 'string',
    describe(value: Record<string, unknown>): RecordFacts {
      described.push(value['id'])
      const { id, parent } = value
      return { kind: 'talk', id: String(id), parent: typeof parent === 'string' ? parent : null }
    },
    fields: { fields: { id: { leaf: 'id' }, parent: { leaf: 'id' } } } satisfies Field,
  }
  return { toy, described }
}

describe.each(Object.entries(SCANNERS))('the %s scanner', (_, scanner) => {
  const look = (bytes: Buffer | string) => {
    const { toy } = makeToy()
    const { index, junk, readUpTo } = indexLog([Buffer.from(bytes)], toy, scanner)
    const records = Array.from({ length: index.length }, (_, record) => ({
      start: index.start(record),
      end: index.end(record),
      isWhole: index.isWhole(record),
      parent: index.parent(record),
    }))
    return { index, records, junk: junk.map(({ kind, start, end }) => ({ kind, start, end })), readUpTo }
  }

  test('finds every record by its bounds, and its parent by its id', () => {
    const { records, readUpTo } = look('{"id":"a"}\n {"id":"b","parent":"a"} \r\n{"id":"c","parent":"b"}')
    expect(records).toEqual([
      { start: 0, end: 10, isWhole: true, parent: -1 },
      { start: 11, end: 37, isWhole: true, parent: 0 },
      { start: 38, end: 61, isWhole: true, parent: 1 },
    ])
    expect(readUpTo).toBe(61)
  })

  test.each([
    ['a control character in a string', '{"id":"a","x":"\u0001"}'],
    ['a tab in a string', '{"id":"a","x":"\t"}'],
    ['an unknown escape', '{"id":"a","x":"\\x"}'],
    ['an escape without its digits', '{"id":"a","x":"\\u12"}'],
    ['a number with a leading zero', '{"id":"a","x":01}'],
    ['a number without digits', '{"id":"a","x":-}'],
    ['a fraction without digits', '{"id":"a","x":1.}'],
    ['an exponent without digits', '{"id":"a","x":1e+}'],
    ['a literal with more behind it', '{"id":"a","x":truex}'],
    ['not a number', '{"id":"a","x":NaN}'],
    ['a trailing comma', '{"id":"a",}'],
    ['a comma too many', '[1,,2]'],
    ['a name without quotes', '{id:"a"}'],
    ['a value without a name', '{"id"}'],
    ['a bracket of the other kind', '{"id":"a","x":[}}'],
    ['a comment', '{"id":"a"} // no'],
    ['a form feed for a comma', '{"id":"a"\f"x":1}'],
    ['a substitute for a colon', '{"id":"a","x"\u001a1}'],
    ['a byte order mark before it', '\ufeff{"id":"a"}'],
    ['a space that is not one of JSON', '{"id":"a",\u00a0"x":1}'],
    ['text after a closing bracket', '{"id":"a","x":{}y,"z":1}'],
    ['a string after a closing bracket', '{"id":"a","x":[]"y","z":1}'],
    ['a string after a string', '{"id":"a","x":"y""z"}'],
    ['a number after a string', '{"id":"a","x":"y"1}'],
    ['a control character after an opening bracket', '{\u0001"id":"a"}'],
    ['a control character after a comma', '{"id":"a",\u0001"x":1}'],
    ['a control character after a colon', '{"id":\u0001"a"}'],
    ['an escaped comma', '{"id":"a","x":"y\\,"z":1}'],
    ['an escaped colon after a name', '{"id":"a","x\\:1}'],
    ['an id without an end', '{"id":"'],
    ['an id of spaces without an end', '{"id":"  '],
    ['an id that ends in a tab', '{"id":"\t"}'],
    ['a quote before a tab in an id', '{"id":"a\\"\t"}'],
    ['a bracket before the comma', '{"id":"a"},"x":1}'],
    ['nothing after a space', '{"id":"a", }'],
  ])('sees %s', (_, line) => {
    const { records, junk } = look(`{"id":"first"}\n${line}\n{"id":"last"}\n`)
    expect(junk.length + records.filter(({ isWhole }) => !isWhole).length).toBeGreaterThan(0)
    expect(records.filter(({ isWhole }) => isWhole)).toHaveLength(2)
  })

  test.each([
    ['numbers beyond every range', '{"id":"a","x":[1e999,-1e-999,123456789012345678901234567890]}'],
    ['invalid UTF-8 in a string', Buffer.from('7b226964223a2261222c2278223a22ff80e282227d', 'hex')],
    ['half of a surrogate pair', '{"id":"a","x":"\\ud800"}'],
    ['a field twice', '{"id":"z","id":"a"}'],
    ['a name with an escape', '{"\\u0069d":"a"}'],
    ['__proto__', '{"__proto__":{"id":"z"},"id":"a"}'],
    ['separators of other text readers', '{"id":"a","x":"\u2028\u0085\u007f"}'],
    ['deep nesting', `{"id":"a","x":${'['.repeat(1000)}${']'.repeat(1000)}}`],
    ['a long text', `{"x":"${'y'.repeat(300_000)}","id":"a"}`],
    ['a text beyond the memory of the kernel', `{"x":"${'y'.repeat(9_000_000)}","id":"a"}`],
  ])('accepts %s', (_, line) => {
    const { index, records, junk } = look(
      Buffer.concat([Buffer.from(line), Buffer.from('\n{"id":"last","parent":"a"}')]),
    )
    expect(junk).toEqual([])
    expect(records.map(({ parent, isWhole }) => ({ parent, isWhole }))).toEqual([
      { parent: -1, isWhole: true },
      { parent: 0, isWhole: true },
    ])
    expect(index.find('a')).toBe(0)
  })

  test('two records on a line, a run of zeros and a torn end are found', () => {
    const { records, junk } = look('{"id":"a"}{"id":"b"}\n\0\0\0\0{"id":"c"}\n{"id":"d"')
    expect(records.map(({ isWhole }) => isWhole)).toEqual([false, false, false])
    expect(junk.map(({ kind }) => kind)).toHaveLength(3)
  })
})

test('the wasm scanner describes each shape of a record once, and parses only what it must', () => {
  const { toy, described } = makeToy()
  const lines = Array.from({ length: 1000 }, (_, number) => `{"id":"r${number}","parent":"r${number - 1}"}\n`)
  const { index } = indexLog([Buffer.from(`${lines.join('')}{"id":"\\u0061"}\n`)], toy, SCANNERS.wasm)
  expect(index.length).toBe(1001)
  expect(described).toHaveLength(2)
  expect(described.at(-1)).toBe('a')
})

test('what one store makes of a shape is not used for another with the same fields', () => {
  const { toy } = makeToy()
  const other = { ...toy, describe: (): RecordFacts => ({ kind: 'system' }) }
  const kinds = [toy, other, toy].map(each =>
    indexLog([Buffer.from('{"id":"a"}\n')], each, SCANNERS.wasm).index.kind(0),
  )
  expect(kinds).toEqual(['talk', 'system', 'talk'])
})

test('a store that makes another text of an id gets each record', () => {
  const toy = {
    ...makeToy().toy,
    describe: (value: Record<string, unknown>) => ({ kind: 'talk' as const, id: `x${value['id']}` }),
  }
  const { index } = indexLog([Buffer.from('{"id":"a"}\n{"id":"b"}\n')], toy, SCANNERS.wasm)
  expect([index.find('xa'), index.find('xb')]).toEqual([0, 1])
})

test(`${INDEXED} generated files give the same index with both scanners, in chunks of any size`, {
  timeout: LONG_MS,
}, () => {
  const random = seededRandom(19)
  for (let number = 0; number < INDEXED; number++) {
    const bytes = scannerCase(random)
    const repair = repairFor(number)
    const chunks = inPieces(bytes, below(random, 4) === 0 ? below(random, 40) + 1 : bytes.length)
    const [expected, found] = [scan(SCANNERS.js, [bytes], repair), scan(SCANNERS.wasm, chunks, repair)]
    if (JSON.stringify(expected) !== JSON.stringify(found)) expect(found, describeCase(number, bytes)).toEqual(expected)
  }
})

test(`of ${PROVED} generated files, the kernel proves exactly the lines that JSON.parse reads, and keeps exactly what is asked for`, {
  timeout: LONG_MS,
}, () => {
  const random = seededRandom(20)
  let [objects, unclear, broken] = [0, 0, 0]
  for (let number = 0; number < PROVED; number++) {
    const bytes = scannerCase(random)
    const { fields } = repairFor(number)
    for (const { line, found } of kernelLines(bytes, fields)) {
      const value = parseObject(line)
      if (found === 'unclear') unclear++
      else if (found === 'not an object') {
        broken++
        if (value !== undefined) expect(value, describeCase(number, line)).toBeUndefined()
      } else {
        objects++
        const kept = keptOf(value, fields)
        if (!isSame(found, kept)) expect(found, describeCase(number, line)).toEqual(kept)
      }
    }
  }
  expect(Math.min(objects, broken, unclear * 2)).toBeGreaterThan(PROVED / 4)
})

test.each([
  ['0', 'number 0'],
  ['999999999999999', 'number 999999999999999'],
  ['null', null],
  ['"5"', ''],
  ['1000000000000000', 'unclear'],
  ['-3', 'unclear'],
  ['0.5', 'unclear'],
  ['1e3', 'unclear'],
  ['[]', []],
])('the kernel keeps a whole number, and leaves any other to the host: %s', (json, expected) => {
  const fields = { fields: { count: { leaf: 'number' } } } as const
  const [line] = kernelLines(Buffer.from(`{"count":${json},"other":1}\n`), fields)
  expect(line?.found).toEqual(expected === 'unclear' ? expected : { count: expected })
})

test('a small file gives the same index with a border of chunks at each of its bytes', { timeout: LONG_MS }, () => {
  const random = seededRandom(21)
  for (let number = 0; number < BORDERED; number++) {
    const bytes = scannerCase(random).subarray(0, 400)
    const repair = repairFor(number)
    const expected = JSON.stringify({ ...scan(SCANNERS.js, [bytes], repair) })
    for (let at = 1; at < bytes.length; at++)
      expect(JSON.stringify(scan(SCANNERS.wasm, inTwo(bytes, at), repair)), describeCase(number, bytes)).toBe(expected)
  }
})

test('of a log with a line beyond the memory of the kernel, both scanners leave the same behind, wherever chunks are read to', () => {
  const record = (id: string, text = '') => `${JSON.stringify({ type: 'user', uuid: id, other: text })}\n`
  const long = 'y'.repeat(9_000_000)
  const path = put(
    temporaryHome(),
    'log.jsonl',
    [record('a'), record('b', long), record('c'), record('d', long)].join(''),
  )
  const repair = repairFor(0)
  const [js, wasm] = [SCANNERS.js, SCANNERS.wasm].map(scanner => {
    const file = openFile(path, path)
    try {
      return scan(scanner, file.chunks(0, file.identity.size, scanner.chunkBuffer()), repair)
    } finally {
      file.close()
    }
  })
  expect(wasm).toEqual(js)
  expect(wasm?.resume?.mark.rows).toBe(4)
})

/** The order of fields does not count. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
    return Object.is(one, other)
  const [mine, theirs] = [Object.entries(one), new Map(Object.entries(other))]
  return (
    Array.isArray(one) === Array.isArray(other) &&
    mine.length === theirs.size &&
    mine.every(([name, value]) => theirs.has(name) && isSame(value, theirs.get(name)))
  )
}

function describeCase(number: number, bytes: Buffer): string {
  return `case ${number}: ${JSON.stringify(bytes.toString('latin1'))}`
}

test('RETHREAD_SCANNER chooses the scanner, and says what it can be', () => {
  expect(chooseScanner('js')).toBe(SCANNERS.js)
  expect(chooseScanner('wasm')).toBe(chooseScanner(''))
  expect(chooseScanner('wasm')).not.toBe(SCANNERS.js)
  expect(() => chooseScanner('rust')).toThrow(RethreadError)
})
