import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { patched } from '../../../../test/support/log-view.ts'
import { toyRepair, toySession, toyTraits } from '../../../../test/support/toy-log.ts'
import type { LogRepair } from '../../../agents/repair.ts'
import { examineLog } from '../../check/examine-log.ts'
import { NONE } from '../../records/record-index.ts'
import { danglingRewind } from './index.ts'

const traits = { ...toyTraits, rewinds: true }
const repair: LogRepair = {
  ...toyRepair,
  describe: ({ id, back }) =>
    typeof back === 'string' ? { kind: 'rewind', target: back } : { kind: 'talk', id: String(id) },
  rewinds: {
    findDangling: ({ index }) =>
      Array.from({ length: index.length }, (_, record) => record)
        .filter(record => index.kind(record) === 'rewind' && index.find(index.target(record) ?? '') === NONE)
        .map(record => ({ start: index.start(record), end: index.end(record), text: 'gone' })),
    write: target => Buffer.from(JSON.stringify({ id: 'r', back: target })),
  },
}

const examine = async (text: string) => {
  const home = temporaryHome()
  const session = toySession(put(home, 'toy.jsonl', text), home)
  return { session, ...(await examineLog(session, traits, repair, [danglingRewind], { isLive: false })) }
}

test('the record is blanked in place, and every other byte stays', async () => {
  const { session, findings, changes } = await examine('{"id":"a"}\n{"id":"r","back":"x"}\n{"id":"b"}\n')
  expect(findings).toMatchObject([{ damage: 'dangling-rewind', at: { start: 11, end: 32 }, text: 'gone' }])
  expect(patched(session, changes).toString()).toBe(`{"id":"a"}\n${' '.repeat(21)}\n{"id":"b"}\n`)
})

test('a rewind to a message that is there is left alone', async () => {
  expect(await examine('{"id":"a"}\n{"id":"r","back":"a"}\n')).toMatchObject({ findings: [], changes: [] })
})

test('it is looked for in logs that have rewinds', () => {
  expect(danglingRewind.appliesTo(traits, repair)).toBe(true)
  expect(danglingRewind.appliesTo(toyTraits, repair)).toBe(false)
  expect(danglingRewind.appliesTo(traits, toyRepair)).toBe(false)
})
