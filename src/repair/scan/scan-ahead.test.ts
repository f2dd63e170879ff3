// What another thread scans ahead is what this one would have scanned. Whatever it cannot scan is left to this one.
import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFull } from '../../../test/support/full.ts'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { seededRandom } from '../../../test/support/random.ts'
import { scannerCase } from '../../../test/support/scanner-cases.ts'
import { resultOf, SCANNERS, scan } from '../../../test/support/scanners.ts'
import { repair } from '../../agents/claude-code/repair/index.ts'
import { repair as ofAnother } from '../../agents/codex/repair/index.ts'
import { RethreadError } from '../../model/errors.ts'
import type { LogAhead, LogBatch, SessionLog } from './scan-ahead.ts'
import { openLogHere, scanAhead } from './scan-ahead.ts'

const FILES = inFull(2000, 60)
const SEEDS = { a: 123_456_789, b: 987_654_321 }
const NEWLINE = Buffer.from('\n')

/** Each log by its path; undefined for what is left to this thread. `use` is called while it is valid. */
async function eachAhead<Result>(
  batches: readonly LogBatch<SessionLog>[],
  use: (ahead: LogAhead) => Result,
  own = 0,
): Promise<Map<string, Result | undefined>> {
  const found = new Map<string, Result | undefined>()
  const scanning = scanAhead(batches, { worthBytes: 0, own, seeds: SEEDS })
  try {
    for await (const { batch, ahead } of scanning)
      for (const [place, { filePath }] of batch.logs.entries()) {
        const log = ahead[place]
        expect(found.has(filePath)).toBe(false)
        found.set(filePath, log && use(log))
        log?.file.close()
      }
  } finally {
    scanning.close()
  }
  return found
}

function logIn(home: string, name: string, bytes: Buffer | string): SessionLog {
  return { filePath: put(home, name, bytes), storeRoot: home, fileSize: bytes.length }
}

test(`${FILES} generated files have the same index, first bytes and identity`, async () => {
  const random = seededRandom(7)
  const home = temporaryHome()
  const logs = Array.from({ length: FILES }, (_, number) => {
    const cases = Array.from({ length: 10 }, () => [scannerCase(random), NEWLINE]).flat()
    return { ...logIn(home, `${number}.jsonl`, Buffer.concat(cases)), bytes: Buffer.concat(cases) }
  })
  // Two stores by turns, so that shapes of one would be taken for shapes of the other.
  const batches = logs.map((log, number) => ({ repair: number % 4 < 2 ? repair : ofAnother, logs: [log] }))
  const found = await eachAhead(batches, ahead => ({
    index: resultOf({ log: ahead.index(), resume: undefined }),
    head: Buffer.from(ahead.head()),
    mark: ahead.file.identity.mark,
  }))
  for (const [number, { filePath, storeRoot, bytes }] of logs.entries()) {
    const described = number % 4 < 2 ? repair : ofAnother
    const { resume: _, ...expected } = scan(SCANNERS.js, [bytes], described, SEEDS)
    const { index, head, mark } = found.get(filePath) ?? {}
    expect(index, `file ${number}`).toEqual({ ...expected, resume: undefined })
    expect(head?.equals(bytes.subarray(0, 8192))).toBe(true)
    const here = openLogHere({ filePath, storeRoot }, described)
    expect(mark).toBe(here?.file.identity.mark)
    here?.file.close()
  }
})

test('every batch is given once, whichever thread takes it', async () => {
  const home = temporaryHome()
  const batches = Array.from({ length: 20 }, (_, number) => ({
    repair,
    logs: [1, 2, 3].map(each => logIn(home, `${number}-${each}.jsonl`, '{"type":"user","uuid":"a"}\n')),
  }))
  for (const own of [0, 3, 100]) expect((await eachAhead(batches, () => true, own)).size).toBe(60)
})

test('a file that is missing, empty, cut in a line or outside of its store is left to this thread', async () => {
  const home = temporaryHome()
  const line = '{"type":"user","uuid":"a"}\n'
  const outside = put(temporaryHome(), 'outside.jsonl', line)
  symlinkSync(outside, join(home, 'link.jsonl'))
  const logs = [
    logIn(home, 'whole.jsonl', line),
    { filePath: join(home, 'missing.jsonl'), storeRoot: home, fileSize: 9 },
    logIn(home, 'empty.jsonl', ''),
    logIn(home, 'cut.jsonl', `${line}{"type":`),
    { filePath: join(home, 'link.jsonl'), storeRoot: home, fileSize: line.length },
    logIn(home, 'last.jsonl', line),
  ]
  const found = await eachAhead([{ repair, logs }], ahead => ahead.index().index.length)
  expect([...found.values()]).toEqual([1, undefined, undefined, undefined, undefined, 1])
})

test('where another file has its name by then, its bytes are refused', async () => {
  const home = temporaryHome()
  const log = logIn(home, 'log.jsonl', '{"type":"user","uuid":"a"}\n')
  const found = await eachAhead([{ repair, logs: [log] }], ({ file }) => {
    renameSync(put(home, 'other.jsonl', '{"type":"user","uuid":"b"}\n'), log.filePath)
    try {
      return file.range(0, 5).toString()
    } catch (error) {
      return error instanceof RethreadError ? error.code : 'another error'
    }
  })
  expect(found.get(log.filePath)).toBe('busy')
})
