import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { patched } from '../../../../test/support/log-view.ts'
import { toyRepair, toySession, toyTraits } from '../../../../test/support/toy-log.ts'
import type { LogRepair } from '../../../agents/repair.ts'
import { examineLog } from '../../check/examine-log.ts'
import type { LogDamage } from '../damage.ts'
import { damagesOfLogs } from '../index.ts'
import { repeatedRecords } from './index.ts'

/** Records with a time are unique; those without one are notes that the agent may write as often as it likes. */
const repair: LogRepair = {
  ...toyRepair,
  describe: ({ id, time }) => ({
    kind: typeof time === 'number' ? 'talk' : 'other',
    id: String(id),
    ...(typeof time === 'number' ? { time } : {}),
  }),
  load({ visible }) {
    const chain = Array.from({ length: visible.length }, (_, record) => record)
    const talk = chain.filter(record => visible.kind(record) === 'talk')
    return { messages: talk.length, depth: talk.length, chain: talk }
  },
  repeats: { isUnique: ({ visible }, record) => visible.kind(record) === 'talk' },
}
/** The last of the same id counts, in the first place. */
const keyed: LogRepair = {
  ...repair,
  load(log) {
    const { chain } = repair.load(log)
    const kept = new Set(Array.from(chain, record => log.visible.latest(record)))
    return { messages: kept.size, depth: kept.size, chain: [...kept] }
  },
}

const talk = (id: string, time: number): string => JSON.stringify({ id, time })
const NOTE = '{"id":"note"}'
const [A, B, C] = [talk('a', 1), talk('b', 2), talk('c', 3)]

const examine = async (lines: string[], by = repair, damages = [repeatedRecords]) => {
  const home = temporaryHome()
  const session = toySession(put(home, 'toy.jsonl', lines.map(line => `${line}\n`).join('')), home)
  const examined = await examineLog(session, toyTraits, by, damages, { isLive: false })
  return { ...examined, left: patched(session, examined.changes).toString() }
}
const text = (...lines: string[]): string => lines.map(line => `${line}\n`).join('')

test('a log that was appended to itself is one finding, and the copy is cut off', async () => {
  const { findings, loads, left } = await examine([A, NOTE, B, A, NOTE, B])
  expect(findings).toMatchObject([
    {
      damage: 'repeated-records',
      severity: 'survived',
      at: { start: 54, end: 107 },
      text: 'The 3 records from here on are written a second time; the first copy begins at byte 0. A resume would load 4 messages instead of 2.',
    },
  ])
  expect(loads).toEqual({ now: 4, afterRepair: 2 })
  expect(left).toBe(text(A, NOTE, B))
})

test('a copy in the middle is blanked, and nothing behind it moves', async () => {
  const { left } = await examine([A, B, A, B, C])
  expect(left).toBe(text(A, B, ' '.repeat(A.length), ' '.repeat(B.length), C))
})

test('three copies in a row leave one', async () => {
  expect((await examine([A, B, A, B, A, B])).left).toBe(text(A, B))
  expect((await examine([A, A, A])).left).toBe(text(A))
})

test('a copy is found where blanks stand before the record, as a repair of a torn line leaves them', async () => {
  const { findings, left } = await examine([A, `   ${B}`, C, A, B, C], keyed)
  expect(findings).toHaveLength(1)
  expect(left).toBe(text(A, `   ${B}`, C))
  expect((await examine([A, `   ${B}`, C, B, C], keyed)).left).toBe(text(A, `   ${B}`, C))
})

test('a copy of a record on a broken line is left as it is until the two can be compared', async () => {
  const another = '{"id":"a","time":9}'
  const changing: LogDamage = {
    ...repeatedRecords,
    id: 'another',
    goesFirst: () => false,
    detect({ session, bytes }) {
      const start = bytes.range(0, bytes.size).indexOf(`${C}\n${A}`)
      const at = { file: session.filePath, start: start + C.length + 1, end: start + C.length + 1 + A.length }
      return start === -1 ? [] : [{ finding: { damage: 'another', severity: 'survived', at, text: '', hint: '' } }]
    },
    plan({ session }, found) {
      const edits = found.map(({ finding: { at } }) => {
        if (!('start' in at)) throw new Error('The finding has no place.')
        return { ...at, bytes: Buffer.from(another), damage: 'another', reason: '' }
      })
      return { changes: [{ type: 'patch', file: session.filePath, edits }], refused: [] }
    },
  }
  const { findings, left } = await examine([`${A}${B}`, C, A, B], keyed, [...damagesOfLogs, changing])
  expect(left).toBe(text(A, B, C))
  expect(findings.map(({ damage }) => damage)).not.toContain('another')
})

test('what stands between two copies is kept', async () => {
  const { left } = await examine([A, B, C, A, talk('d', 4), B])
  expect(left).toBe(text(A, B, C, ' '.repeat(A.length), talk('d', 4)))
})

test('lines that the agent may repeat are no sign by themselves, and go with what is one', async () => {
  expect(await examine([A, NOTE, NOTE, B, NOTE])).toMatchObject({ findings: [], changes: [] })
  expect((await examine([NOTE, A, B, NOTE, A])).left).toBe(text(NOTE, A, B))
})

test('the same words at another time, and other words at the same time, are left alone', async () => {
  expect((await examine([A, talk('a', 9)])).findings).toEqual([])
  expect((await examine([A, talk('x', 1), talk('y', 1)])).findings).toEqual([])
})

test('a single copy that changes nothing of what is loaded is left alone, several are not', async () => {
  expect((await examine([A, B, A, C], keyed)).findings).toEqual([])
  const { findings, loads, left } = await examine([A, B, A, B, C], keyed)
  expect(findings[0]?.text).toContain('Nothing is lost.')
  expect(loads).toEqual({ now: 3, afterRepair: 3 })
  expect(left).toBe(text(A, B, ' '.repeat(A.length), ' '.repeat(B.length), C))
})

test('where records are linked, a single copy at the end counts: the conversation would go on from it', async () => {
  const home = temporaryHome()
  const session = toySession(put(home, 'toy.jsonl', text(A, B, C, B)), home)
  const traits = { ...toyTraits, linkedByParent: true }
  const { findings } = await examineLog(session, traits, keyed, [repeatedRecords], { isLive: false })
  expect(findings).toHaveLength(1)
})

test('it is looked for where the store says which records are unique', () => {
  expect(repeatedRecords.appliesTo(toyTraits, repair)).toBe(true)
  expect(repeatedRecords.appliesTo(toyTraits, toyRepair)).toBe(false)
  expect(repeatedRecords.appliesTo({ ...toyTraits, isCompressed: true }, repair)).toBe(false)
})

test('where only an id makes a record unique, copies are found by it', async () => {
  const byId: LogRepair = {
    ...repair,
    repeats: { needsId: true, isUnique: ({ visible }, record) => visible.hasId(record) },
  }
  expect((await examine([A, B, C], byId)).findings).toEqual([])
  const { findings, left } = await examine([A, B, A, B, C], byId)
  expect(findings).toMatchObject([{ at: { start: 40, end: 79 } }])
  expect(left.split('\n')[0]).toBe(A)
})
