// The links that the kernel gives are those that are read from the bytes.
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { randomLog } from '../../../../test/support/claude-code/random-log.ts'
import { inFull } from '../../../../test/support/full.ts'
import { lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import { openLog } from '../../stores/json-lines.ts'
import { isWorthProving } from '../../stores/prove-lines.ts'
import { isRecord } from './index.ts'
import { indexLinks, type Links } from './links.ts'
import { proveLinks } from './prove-links.ts'

const RANDOM_LOGS = inFull(6000, 1000)
/** So much is read that the kernel counts as worth its compilation. */
const WORTH_BYTES = 1024 * 1024

/** Both, as plain data. The first is undefined where the kernel does not prove the log. */
function bothOf(text: string | Buffer): [unknown, unknown] {
  isWorthProving(WORTH_BYTES)
  const file = put(temporaryHome(), 'log.jsonl', text)
  const log = openLog(file, dirname(file), isRecord)
  try {
    const proved = proveLinks(log.file)
    return [proved && plain(proved), plain(indexLinks(log))]
  } finally {
    log.close()
  }
}

function plain(links: Links): unknown {
  const records = Array.from({ length: links.length }, (_, index) => ({
    start: links.start(index),
    uuid: links.uuid(index),
    parent: links.parent(index),
    logicalParent: links.logicalParent(index),
    group: links.group(index),
    isSidechain: links.isSidechain(index),
    time: links.time(index),
    isResult: links.isResult(index),
    isTalk: links.isTalk(index),
    isSuperseded: links.isSuperseded(index),
  }))
  return { records, orphans: [...links.orphans()], last: links.lastUuids(3) }
}

test('any records', () => {
  let proved = 0
  for (let seed = 1; seed <= RANDOM_LOGS; seed++) {
    const [kernel, bytes] = bothOf(randomLog(seededRandom(seed)))
    if (kernel === undefined) continue
    expect(kernel, `seed ${seed}`).toEqual(bytes)
    proved++
  }
  expect(proved).toBeGreaterThan(RANDOM_LOGS / 2)
})

const RECORD = { type: 'user', uuid: 'a1', parentUuid: null, timestamp: '2026-11-15T09:00:00.000Z' }
const NEXT = { ...RECORD, uuid: 'a2', parentUuid: 'a1' }

test.each([
  ['the usual ones', true, lines(RECORD, NEXT)],
  ['a record without its newline', true, lines(RECORD, NEXT).trimEnd()],
  ['a time with an offset', false, lines(RECORD, { ...NEXT, timestamp: '2026-11-15T10:00:00+01:00' })],
  ['a time that is a word', false, lines(RECORD, { ...NEXT, timestamp: 'yesterday' })],
  ['a time that is empty', true, lines(RECORD, { ...NEXT, timestamp: '' })],
  ['a time that is a number', false, lines(RECORD, { ...NEXT, timestamp: 7 })],
  ['an id that is a number', true, lines({ ...RECORD, uuid: 7 }, NEXT)],
  ['an empty id', true, lines({ ...RECORD, uuid: '' }, NEXT)],
  ['an empty parent', true, lines(RECORD, { ...NEXT, parentUuid: '' })],
  ['the same record twice, with blanks around it', true, `${lines(RECORD, NEXT)} ${lines(NEXT)}`],
  ['a later version of a record', true, lines(RECORD, NEXT, { ...NEXT, type: 'assistant' })],
  ['a side chain that is a word', true, lines(RECORD, { ...NEXT, isSidechain: 'true' })],
  ['the name of a result in a text', true, lines({ ...RECORD, message: { content: '"tool_result"' } }, NEXT)],
  ['an id with an escape', false, lines({ ...RECORD, uuid: 'a\n1' }, { ...NEXT, parentUuid: 'a\n1' })],
  ['an id in other letters', false, lines({ ...RECORD, uuid: 'ä1' }, { ...NEXT, parentUuid: 'ä1' })],
  ['an id with a blank', false, lines({ ...RECORD, uuid: 'a 1' }, { ...NEXT, parentUuid: 'a 1' })],
  ['a blank parent', false, lines(RECORD, { ...NEXT, parentUuid: ' ' })],
  ['a time in words', false, lines(RECORD, { ...NEXT, timestamp: 'Nov 15 2026' })],
  ['a field that is there twice', false, `${lines(RECORD)}{"uuid":"b1","uuid":"b2","parentUuid":"a1"}\n`],
  ['a torn line', false, `${lines(RECORD)}{"type":"user","uuid":"a2"`],
  ['a record in a broken line', false, `${lines(RECORD)}xx${lines(NEXT)}`],
])('%s: proved is %s', (_, isProved, text) => {
  const [kernel, bytes] = bothOf(text)
  expect(kernel !== undefined).toBe(isProved)
  if (kernel !== undefined) expect(kernel).toEqual(bytes)
})
