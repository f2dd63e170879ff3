// A header or a list that stands in the way of what is before it: found by the store, blanked in place.
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { patched } from '../../../../test/support/log-view.ts'
import { toyRepair, toySession, toyTraits } from '../../../../test/support/toy-log.ts'
import type { LogRepair, LogView } from '../../../agents/repair.ts'
import { examineLog } from '../../check/examine-log.ts'
import type { LogDamage } from '../damage.ts'
import { emptiedHistory } from '../emptied-history/index.ts'
import { repeatedHeader } from '../repeated-header/index.ts'

const find =
  (id: string) =>
  ({ visible, bytes }: LogView) => {
    const places = Array.from({ length: visible.length }, (_, record) => record)
      .slice(1)
      .map(record => ({ start: visible.start(record), end: visible.end(record), text: 'in the way' }))
    return places.filter(({ start, end }) => bytes.range(start, end).toString() === `{"id":"${id}"}`)
  }
const repair: LogRepair = {
  ...toyRepair,
  header: { isPresent: () => true, rebuild: () => ({ refused: 'never' }), findRepeated: find('header') },
  lists: { findEmptied: find('empty'), write: () => Buffer.from('{"id":"empty"}') },
}
const traits = { ...toyTraits, headerRecord: true }

const examine = async (damage: LogDamage, isLive: boolean, ...ids: string[]) => {
  const home = temporaryHome()
  const text = ids.map(id => `{"id":"${id}"}\n`).join('')
  const session = toySession(put(home, 'toy.jsonl', text), home)
  const { findings, changes } = await examineLog(session, traits, repair, [damage], { isLive })
  return { findings, left: patched(session, changes).toString() }
}

test('a second header is blanked, and every other byte stays', async () => {
  const { findings, left } = await examine(repeatedHeader, false, 'header', 'a', 'header', 'b')
  expect(findings).toMatchObject([{ damage: 'repeated-header', severity: 'survived', at: { start: 27, end: 42 } }])
  expect(left).toBe(`{"id":"header"}\n{"id":"a"}\n${' '.repeat(15)}\n{"id":"b"}\n`)
})

test('a list that leaves nothing is blanked, unless the agent may be writing everything again right now', async () => {
  const { findings, left } = await examine(emptiedHistory, false, 'a', 'empty')
  expect(findings).toMatchObject([{ damage: 'emptied-history', severity: 'survived' }])
  expect(left).toBe(`{"id":"a"}\n${' '.repeat(14)}\n`)
  expect((await examine(emptiedHistory, true, 'a', 'empty')).findings).toMatchObject([{ severity: 'updating' }])
})

test('they are looked for where the store can have them', () => {
  expect(repeatedHeader.appliesTo(traits, repair)).toBe(true)
  expect(repeatedHeader.appliesTo(toyTraits, repair)).toBe(false)
  expect(repeatedHeader.appliesTo(traits, toyRepair)).toBe(false)
  expect(emptiedHistory.appliesTo(traits, repair)).toBe(true)
  expect(emptiedHistory.appliesTo(traits, toyRepair)).toBe(false)
})
