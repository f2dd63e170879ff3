// The kernel remembers runs of fields that many records have. What it says of a line does not depend on that.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inFull } from '../../../test/support/full.ts'
import { loadScanner } from '../../disk/files/load-scanner.ts'
import type { Field } from './fields.ts'
import { compileFields } from './fields.ts'
import { FIRST_WITHOUT_SHAPE, MARKS, NUMBERS_PER_ROW, NUMBERS_PER_SLOT } from './kernel.ts'

const kernel = required(loadScanner())
const seeds = { a: 1, b: 2 }
const below: Field = {
  isPruned: true,
  fields: { type: { leaf: 'word' } },
  get others() {
    return below
  },
}
const fields: Field = {
  fields: {
    id: { leaf: 'id' },
    time: { leaf: 'time' },
    version: { leaf: 'word' },
    count: { leaf: 'count' },
    text: { leaf: 'text' },
    message: { fields: { role: { leaf: 'word' } } },
    content: { others: below },
  },
}
const UNCLEAR = 'left to the host'

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('This Node cannot run the scanner.')
  return value
}

/** For each line its shape with what is in its slots, or that it has none. */
function scan(lines: readonly string[]): string[] {
  const found: string[] = []
  const onRows = (count: number): void => {
    for (let row = 0; row < count; row++) found.push(describeRow(row))
  }
  expect(kernel.scan(Buffer.from(lines.map(line => `${line}\n`).join('')), onRows)).toBe(true)
  return found
}

function describeRow(row: number): string {
  const [start = 0, , shape = 0, first = 0] = kernel.rows.subarray(row * NUMBERS_PER_ROW)
  if (shape >= FIRST_WITHOUT_SHAPE) return shape === FIRST_WITHOUT_SHAPE ? 'not an object' : UNCLEAR
  let slot = first
  return kernel.shape(shape).replace(MARKS, () => {
    const [a, b, place = 0, length] = kernel.slots.subarray(slot++ * NUMBERS_PER_SLOT)
    return `<${a} ${b} at ${place - start}, ${length} bytes>`
  })
}

/** All lines by one kernel, which remembers those before. */
function scanTogether(lines: readonly string[]): string[] {
  kernel.startProgram(compileFields(fields), seeds, 0)
  return scan(lines)
}

/** Each by a kernel that remembers nothing. */
function scanAlone(lines: readonly string[]): string[] {
  return lines.flatMap(line => scanTogether([line]))
}

const run = '"version":"2.1","cwd":"/home/dev","count":7,"branch":"main",'

describe('a run of fields that was met before', () => {
  const before = Array.from({ length: 10 }, (_, number) => `{"id":"i${number}",${run}"message":{"role":"user"}}`)
  const lastOf = (line: string) => scanTogether([...before, line]).at(-1)

  test('is kept as if it were read', () => {
    const [first, ...others] = scanTogether(before)
    expect(first).toContain('"version":"2.1","count":0,"message":{"role":"user"}')
    expect(others).toHaveLength(before.length - 1)
    expect(scanTogether(before)).toEqual(scanAlone(before))
  })

  test('counts once: with the same fields again, the line is left to the host', () => {
    expect(lastOf(`{${run}${run}"id":"x"}`)).toBe(UNCLEAR)
    expect(lastOf(`{"count":7,${run}"id":"x"}`)).toBe(UNCLEAR)
  })

  test('is not met where one of its values is another one', () => {
    expect(lastOf(`{"id":"x",${run.replace('2.1', '2.2')}"text":""}`)).toContain('"version":"2.2","count":0')
    expect(lastOf(`{"id":"x",${run.replace('7', '7.5')}"text":""}`)).toBe(UNCLEAR)
    expect(lastOf(`{"id":"x",${run.replace(':7', ':07')}"text":""}`)).toBe('not an object')
  })

  test('belongs to its object: in another one, the same bytes are other fields', () => {
    expect(lastOf(`{"id":"x","message":{${run}"role":"user"}}`)).not.toContain('version')
    expect(lastOf(`{"id":"x","message":{${run}"role":"user"}}`)).toContain('"message":{"role":"user"}')
  })

  test('is followed by another field, or the line is not an object', () => {
    for (const end of ['}', '', '1}', '"id"}', `{"id":"x"}`]) expect(lastOf(`{${run}${end}`)).toBe('not an object')
  })
})

const value = fc.constantFrom(
  '1',
  '12',
  '0',
  '-1',
  '1.5',
  '01',
  'true',
  'null',
  '""',
  '" "',
  '"x"',
  '"\\n"',
  '"é"',
  '{',
  '}',
)
const name = fc.constantFrom(
  'id',
  'time',
  'version',
  'cwd',
  'count',
  'text',
  'branch',
  'message',
  'content',
  'type',
  'role',
)
const nested = fc.constantFrom(
  '{"role":"user","cwd":"/","branch":"main"}',
  '{"type":"a","cwd":{"type":"b"}}',
  '[1,{"type":"c"}]',
)
const time = fc.constantFrom('"2026-11-15T09:00:00.000Z"', '"2026-11-15T09:00:00.00Z"')
const field = fc.tuple(name, fc.oneof(value, value, nested, time), fc.constantFrom('', '', '', ' '))
const piece = fc.oneof(
  fc.constantFrom(
    run,
    run,
    run.slice(0, 35),
    '"type":"message","cwd":"/","model":"m",',
    '"message":{"role":"user","cwd":"/"},',
  ),
  field.map(([key, own, space]) => `"${key}":${space}${own}${space},`),
)
const line = fc
  .tuple(fc.array(piece, { maxLength: 6 }), fc.constantFrom('"id":"x"', '"text":" "', ''))
  .map(([pieces, last]) => `{${pieces.join('')}${last}}`)

test('a line means the same whatever the lines before it were', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), lines => {
      expect(scanTogether(lines)).toEqual(scanAlone(lines))
    }),
    { numRuns: inFull(20_000, 300) },
  )
})
