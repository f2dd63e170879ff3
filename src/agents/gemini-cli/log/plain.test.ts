// A large log without rewinds and lists is read in one pass over its records. The outcome is that of two passes.
import { dirname } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { inFull } from '../../../../test/support/full.ts'
import { call, header, model, readLog, response, set, time, user } from '../../../../test/support/gemini-cli/make.ts'
import { lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { Random } from '../../samples/random.ts'
import { openLog } from '../../stores/json-lines.ts'
import { isRecord } from './changes.ts'
import { findSuperseded } from './plain.ts'

/** Longer than the smallest log that is read in one pass. */
const PADDING = user('padding', 'x'.repeat(1024 * 1024))

afterEach(() => void vi.unstubAllEnvs())

test('only a log without rewinds, lists and broken lines is plain', () => {
  const supersededIn = (log: string) => {
    const path = put(temporaryHome(), 'log.jsonl', log)
    const opened = openLog(path, dirname(path), isRecord)
    try {
      return findSuperseded(
        opened,
        () => {},
        () => true,
      )
    } finally {
      opened.close()
    }
  }
  const start = lines(header, user('a', 'one'))
  const plain = start + lines(set({ summary: 'a title' }), model('b', 'two'), user('a', 'again'))
  expect(supersededIn(plain)).toEqual(new Set([plain.indexOf('{"id":"a"')]))
  expect(supersededIn(start + lines({ $rewindTo: 'a' }))).toBeUndefined()
  expect(supersededIn(start + lines(set({ messages: [] })))).toBeUndefined()
  expect(supersededIn(start + lines({ ...header, messages: [] }))).toBeUndefined()
  expect(supersededIn(`${start}{"id":"b","ti`)).toBeUndefined()
  expect(supersededIn(`${start}${JSON.stringify(user('é', 'two'))}`)).toBeUndefined()
})

/** The same log in one pass and in two: without the kernel of the scanner there is no first look. */
async function readTwice(...records: object[]) {
  const log = lines(header, ...records, PADDING)
  const one = await readLog(log)
  vi.stubEnv('RETHREAD_SCANNER', 'js')
  const two = await readLog(log)
  const plain = ({ messages, end, session }: typeof one) =>
    JSON.parse(
      JSON.stringify({ messages, end: { ...end, checkpoint: end.checkpoint?.state } }).replaceAll(
        session.filePath,
        'LOG',
      ),
    )
  return { one: plain(one), two: plain(two) }
}

test('a message has its first place, its first time and its last content', async () => {
  const later = { ...model('b', 'two'), timestamp: time(9) }
  const { one, two } = await readTwice(user('a', 'one'), model('b', 'tw'), user('c', 'three'), later)
  expect(one.messages.slice(0, 3)).toMatchObject([
    { id: 'a' },
    { id: 'b', time: time(1), parts: [{ type: 'text', text: 'two' }] },
    { id: 'c' },
  ])
  expect(one).toEqual(two)
})

test('a copy of an earlier record undoes no later one, even if it is the last of its message', async () => {
  const { one, two } = await readTwice(model('a', 'old'), model('a', 'new'), user('b', 'on'), model('a', 'old'))
  expect(one.messages[0]).toMatchObject({ id: 'a', parts: [{ text: 'new' }] })
  expect(one.end.findings).toMatchObject([{ damage: 'repeated-records' }])
  expect(one).toEqual(two)
})

test('a record of an unknown kind stands where it was written', async () => {
  const { one, two } = await readTwice(user('a', 'one'), { note: 'a text of the future' }, user('b', 'two'))
  expect(one.messages[1]).toMatchObject({ role: 'system', parts: [{ type: 'unknown' }] })
  expect(one).toEqual(two)
})

test('a result is given once, by the message that held it first', async () => {
  const calling = { ...model('a', ''), toolCalls: [call('call-1', 'files')] }
  const { one, two } = await readTwice(calling, user('b', [response('call-1', 'files')]), user('c', 'on'))
  expect(one.messages.map((message: { id: string }) => message.id)).toEqual(['a', 'c', 'padding'])
  expect(one).toEqual(two)
})

test('many messages may wait for one that is written again at the end', async () => {
  const waiting = Array.from({ length: 40 }, (_, number) => user(`w${number}`, `${number} ${'y'.repeat(120_000)}`))
  const { one, two } = await readTwice(model('first', 'begin'), ...waiting, model('first', 'end'))
  expect(one.messages).toHaveLength(42)
  expect(one).toEqual(two)
})

test('of random logs, plain or not, the outcome is the same in both ways', async () => {
  const random = new Random('plain logs')
  for (let round = 0; round < inFull(60, 10); round++) {
    const ids = Array.from({ length: 6 }, (_, number) => `m${number}`)
    const records = Array.from({ length: random.between(1, 30) }, (_, number) => {
      const id = random.pick(ids)
      switch (random.between(0, 9)) {
        case 0:
          return set({ lastUpdated: time(number) })
        case 1:
          return { stray: `number ${number} here` }
        case 2:
          return round % 5 === 0 ? { $rewindTo: id } : user(id, 'again and again')
        case 3:
          return round % 7 === 0 ? set({ messages: [user(id, 'listed')] }) : model(id, 'again and again')
        case 4:
          return { ...model(id, ''), toolCalls: [call(`c${number % 3}`, `output ${number}`)] }
        case 5:
          return user(id, [response(`c${number % 3}`, `output ${number}`)])
        default:
          return random.between(0, 1) === 0 ? user(id, `said ${number}`) : model(id, `answered ${number}`)
      }
    })
    const { one, two } = await readTwice(...records)
    expect(one).toEqual(two)
    vi.unstubAllEnvs()
  }
})
