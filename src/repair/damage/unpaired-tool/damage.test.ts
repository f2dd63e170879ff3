import { expect, test } from 'vitest'
import { linkedLog, linkedSubject, loadedIds, repairLinks } from '../../../../test/support/linked-log.ts'
import { toyRepair, toySession, toySubject, toyTraits } from '../../../../test/support/toy-log.ts'
import type { LogRepair } from '../../../agents/repair.ts'
import { Random } from '../../../agents/samples/random.ts'
import { indexLog } from '../../scan/scan-log.ts'
import type { LogSubject } from '../damage.ts'
import { unpairedTool } from './index.ts'

const live = (words: string): LogSubject => ({ ...linkedSubject(linkedLog(words)), isLive: true })
const severities = async (subject: LogSubject): Promise<string[]> =>
  (await unpairedTool.detect(subject)).map(({ finding }) => finding.severity)

test.each([
  ['the call is last', 'u1 a1#M c1#M'],
  ['one of several results is there already', 'u1 c1#M c2#M r2=c2'],
  ['a note of the agent stands behind it', 'u1 c1 s1 p1'],
])('a call that may still be running is not damage: %s', async (_, words) => {
  const subject = live(words)
  const detected = await unpairedTool.detect(subject)
  expect(detected.map(({ finding }) => finding.severity)).toEqual(['updating'])
  expect(await unpairedTool.plan(subject, detected)).toEqual({ changes: [], refused: [] })
})

test.each([
  ['a prompt follows', 'u1 c1 u2'],
  ['the model went on', 'u1 c1 a2'],
  ['the model made another call', 'u1 c1 c2 r2=c2'],
  ['a later call has its result', 'u1 c1 u2 c2 r2=c2'],
])('an old call is damage though the agent runs: %s', async (_, words) => {
  expect(await severities(live(words))).toEqual(['survived'])
})

test('a result without a call is damage though the agent runs', async () => {
  expect(await severities(live('u1 a1 r1=gone'))).toEqual(['survived'])
})

test('once the agent is gone, a call at the end is damage, with a command that repairs it', async () => {
  const [detected] = await unpairedTool.detect(linkedSubject(linkedLog('u1 c1')))
  expect(detected?.finding).toMatchObject({ damage: 'unpaired-tool', severity: 'survived' })
  expect(detected?.finding.hint).toContain('rethread repair 11111111-')
})

test('damage that cannot be repaired is reported with the reason', async () => {
  const subject = linkedSubject(linkedLog('u1 c1 u2 a2'))
  const tools = {
    findUnpaired: () => [
      { kind: 'call-without-result' as const, start: 0, end: 9, text: 'lost', repair: { refused: 'it has no id' } },
    ],
  }
  const detected = await unpairedTool.detect({ ...subject, repair: { ...subject.repair, tools } })
  expect(detected[0]?.finding.hint).toBe('Not repaired: it has no id.')
  expect(await unpairedTool.plan(subject, detected)).toMatchObject({
    changes: [],
    refused: [{ reason: 'it has no id' }],
  })
})

/** Calls and results by one letter each, and nothing that says which belong to one message. */
const toolRepair: LogRepair = {
  ...toyRepair,
  describe: ({ id, call, result }) => ({
    kind: 'talk',
    id: String(id),
    ...(typeof call === 'string' ? { calls: [call] } : {}),
    ...(typeof result === 'string' ? { results: [result] } : {}),
  }),
}

test('where nothing says which calls were made at once, those before a result are old', async () => {
  const text = '{"id":"1","call":"a"}\n{"id":"2","call":"b"}\n{"id":"3","result":"b"}\n{"id":"4","call":"c"}\n'
  const bytes = Buffer.from(text)
  const { index } = indexLog([bytes], toolRepair)
  const findUnpaired = () =>
    [0, 3].map(record => ({
      kind: 'call-without-result' as const,
      start: index.start(record),
      end: index.end(record),
      text: 'no result',
      repair: { edits: [], reason: 'none' },
    }))
  const repair = { ...toolRepair, tools: { findUnpaired } }
  expect(await severities({ ...toySubject(bytes, true), repair, index, visible: index })).toEqual([
    'survived',
    'updating',
  ])
})

function broken(
  text: string,
  seed: number,
  repair: LogRepair = linkedSubject(text).repair,
): { text: string; what: string } {
  let bytes = Buffer.from(text)
  const target = {
    session: toySession('/toy.jsonl'),
    traits: toyTraits,
    repair,
    read: () => bytes,
    write: (_: string, written: Buffer) => {
      bytes = Buffer.from(written)
    },
    remove: () => {},
    sql: () => [],
  }
  const inflicted = unpairedTool.inflict(target, new Random(`${seed}`))
  return { text: bytes.toString(), what: inflicted?.what ?? 'nothing' }
}

test('what is inflicted is found, repaired, and then no longer found', async () => {
  const healthy = linkedLog('u1 c1 r1 a1 u2 c2#M c3#M r2<c3=c2 r3=c3 a2')
  const whats = new Set<string>()
  for (let seed = 0; seed < 24; seed++) {
    const { text, what } = broken(healthy, seed)
    whats.add(what.replace(/ at \d+/, ''))
    const repaired = await repairLinks(text, [unpairedTool])
    expect(repaired.found.length, what).toBeGreaterThan(0)
    expect(await unpairedTool.detect(linkedSubject(repaired.text)), what).toEqual([])
    // Nothing but the line that was destroyed is missing.
    const loaded = new Set(loadedIds(linkedSubject(repaired.text)).split(' '))
    const lost = loadedIds(linkedSubject(healthy))
      .split(' ')
      .filter(id => !loaded.has(id))
    expect(lost.length, what).toBeLessThanOrEqual(what.endsWith('lost') ? 1 : 0)
  }
  expect([...whats].sort()).toEqual(['the call lost', 'the result lost', 'the result written twice'])
})

test('a log without links can be broken too', () => {
  const healthy = '{"id":"a","call":"x"}\n{"id":"b","result":"x"}\n'
  const found = new Set(Array.from({ length: 12 }, (_, seed) => broken(healthy, seed, toolRepair).text))
  const [call, result] = healthy.split(/(?<=\n)/)
  expect(found).toEqual(new Set([call, result, `${call}${result}${result}`]))
})

test('a log without calls cannot have it', () => {
  expect(broken(linkedLog('u1 a1'), 1).what).toBe('nothing')
})
