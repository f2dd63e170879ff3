// A log that is scanned in parts by another thread gives what one thread gives, wherever it is cut.
import { availableParallelism } from 'node:os'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { inFull } from '../../../test/support/full.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { below, seededRandom } from '../../../test/support/random.ts'
import { scannerCase } from '../../../test/support/scanner-cases.ts'
import { emptyStart, resultOf, SCANNERS, scan } from '../../../test/support/scanners.ts'
import { repair } from '../../agents/claude-code/repair/index.ts'
import { joinChecksums } from '../../bytes/checksums.ts'
import { NUMBERS_PER_SLOT } from '../../bytes/scanner/kernel.ts'
import { openFile } from '../../disk/files/read.ts'
import type { VisitLine } from './record-scanner.ts'
import { canScanInParts, indexInThreads, visitFile, visitInThreads } from './scan-in-threads.ts'

const FILES = inFull(2000, 40)
const LONG_MS = 30 * 60_000
const NEWLINE = Buffer.from('\n')

/** This thread scans at most `own` of the parts before their turn. */
async function scanInParts(bytes: Buffer, own: number, part: number, start = emptyStart()) {
  const home = temporaryHome()
  const path = put(home, 'log.jsonl', bytes)
  const file = openFile(path, home)
  try {
    const sizes = { worth: 0, own, part }
    const scanned = await indexInThreads(file, home, repair, start, SCANNERS.wasm, sizes)
    if (scanned === undefined) throw new Error('It was not scanned in parts.')
    return resultOf(scanned)
  } finally {
    file.close()
  }
}

test(`${FILES} generated files give the same index in parts of any size`, { timeout: LONG_MS }, async () => {
  const random = seededRandom(22)
  for (let number = 0; number < FILES; number++) {
    const cases = Array.from({ length: 30 }, () => [
      scannerCase(random),
      below(random, 2) === 0 ? NEWLINE : Buffer.alloc(0),
    ])
    const bytes = Buffer.concat(cases.flat())
    const { resume, ...found } = await scanInParts(bytes, below(random, 6), below(random, 900) + 40)
    const { resume: _, ...expected } = scan(SCANNERS.js, [bytes], repair)
    expect(found, `file ${number}`).toEqual(expected)
    // The point to continue from may be earlier, but what is before it is proved by its checksum.
    if (resume !== undefined) expect(resume.checksum).toBe(crc32(bytes.subarray(0, resume.offset)))
  }
})

test('logs that are scanned at the same time do not mix, however often they wait for their parts', async () => {
  const logs = ['a', 'b', 'c'].map(log =>
    Buffer.from(
      Array.from({ length: 40 }, (_, number) =>
        JSON.stringify({
          type: 'user',
          uuid: `${log}${number}`,
          parentUuid: number === 0 ? null : `${log}${number - 1}`,
          [log]: number,
        }),
      ).join('\n'),
    ),
  )
  // Each log has hashes of its own.
  const seedsOf = (at: number) => ({ a: at + 1, b: at + 2 })
  const found = await Promise.all(logs.map((bytes, at) => scanInParts(bytes, at, 150, emptyStart(seedsOf(at)))))
  for (const [at, bytes] of logs.entries()) {
    const { resume: _, ...expected } = scan(SCANNERS.js, [bytes], repair, seedsOf(at))
    const { resume: __, ...scanned } = found[at] ?? {}
    expect(scanned).toEqual(expected)
  }
})

/** The facts of all lines that were visited, and whether that were all. */
async function visitInParts(bytes: Buffer, own: number, part: number, wanted = Number.POSITIVE_INFINITY) {
  const home = temporaryHome()
  const file = openFile(put(home, 'log.jsonl', bytes), home)
  const visited: unknown[] = []
  const visit: VisitLine = (facts, { slots }, slot) => {
    const at = (slot + (facts.id?.slot ?? 0)) * NUMBERS_PER_SLOT
    visited.push([facts.flags, facts.id && slots.slice(at, at + 2).toString()])
    return visited.length < wanted
  }
  try {
    const sizes = { worth: 0, own, part, first: 100 }
    const isWhole = await visitInThreads(file, home, repair, visit, SCANNERS.wasm, sizes)
    const inParts = visited.splice(0)
    return { inParts, isWhole, inOne: visited, isWholeInOne: visitFile(file, repair, visit, SCANNERS.wasm) }
  } finally {
    file.close()
  }
}

function linked(count: number, log = 'a'): Buffer {
  const record = (number: number) => ({
    type: number % 7 === 0 ? 'system' : 'user',
    uuid: `${log}${number}`,
    parentUuid: number === 0 ? null : `${log}${number - 1}`,
    text: 'x'.repeat((number * 37) % 200),
  })
  return Buffer.from(Array.from({ length: count }, (_, number) => `${JSON.stringify(record(number))}\n`).join(''))
}

test('the lines of a log are visited in their order, in parts of any size', async () => {
  const random = seededRandom(24)
  for (let number = 0; number < FILES; number++) {
    const bytes = linked(20 + below(random, 60))
    const { inParts, isWhole, inOne, isWholeInOne } = await visitInParts(
      bytes,
      below(random, 6),
      40 + below(random, 900),
    )
    expect([isWhole, isWholeInOne]).toEqual([true, true])
    expect(inParts).toEqual(inOne)
    expect(inParts.length).toBeGreaterThanOrEqual(20)
  }
})

test('a visit ends with a line that is broken or not wanted, and with a last line without its newline', async () => {
  const bytes = linked(50)
  const ends = [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.from('{"type":')]), bytes.subarray(1)]
  for (const end of ends) expect((await visitInParts(end, 2, 300)).isWhole).toBe(false)
  const { inParts, isWhole } = await visitInParts(bytes, 2, 300, 30)
  expect([inParts.length, isWhole]).toEqual([30, false])
})

test('logs that are visited at the same time do not mix', async () => {
  const visits = await Promise.all(['a', 'b', 'c'].map((log, at) => visitInParts(linked(40 + at, log), at, 150)))
  for (const { inParts, isWhole, inOne } of visits) {
    expect(isWhole).toBe(true)
    expect(inParts).toEqual(inOne)
  }
})

test.each([0, 3])(
  'a part with a line that is too long for the kernel is scanned here, after %i own ones',
  async own => {
    const record = (id: string, text = '') =>
      `${JSON.stringify({ type: 'user', uuid: id, sessionId: 's', other: text })}\n`
    const long = record('b', 'y'.repeat(9_000_000))
    const bytes = Buffer.from([record('a'), record('a2'), long, record('c'), record('d')].join(''))
    const { resume, ...found } = await scanInParts(bytes, own, 2_000_000)
    const { resume: _, ...expected } = scan(SCANNERS.js, [bytes], repair)
    expect(found).toEqual(expected)
    expect(resume?.checksum).toBe(crc32(bytes.subarray(0, resume?.offset)))
  },
)

test('a log without declared fields, and the scanner in JavaScript, use one thread', async () => {
  const home = temporaryHome()
  const file = openFile(put(home, 'log.jsonl', '{}\n'), home)
  const sizes = { worth: 0, part: 1 }
  const { fields: _, ...undeclared } = repair
  try {
    expect(await indexInThreads(file, home, undeclared, undefined, SCANNERS.wasm, sizes)).toBeUndefined()
    expect(await indexInThreads(file, home, repair, undefined, SCANNERS.js, sizes)).toBeUndefined()
  } finally {
    file.close()
  }
})

test.runIf(availableParallelism() > 1)('only a large log with declared fields is scanned in parts', () => {
  const { fields: _, ...undeclared } = repair
  expect(canScanInParts(2 ** 30, repair)).toBe(true)
  expect(canScanInParts(2 ** 20, repair)).toBe(false)
  expect(canScanInParts(2 ** 30, undeclared)).toBe(false)
})

test('checksums of parts are joined to the checksum of the whole', () => {
  const random = seededRandom(23)
  for (let number = 0; number < 200; number++) {
    const bytes = Buffer.from(Array.from({ length: below(random, 3000) }, () => below(random, 256)))
    const at = below(random, bytes.length + 1)
    const [first, second] = [bytes.subarray(0, at), bytes.subarray(at)]
    expect(joinChecksums(crc32(first), crc32(second), second.length)).toBe(crc32(bytes))
  }
})
