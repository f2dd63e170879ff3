import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../../test/support/home.ts'
import { patched } from '../../../../../test/support/log-view.ts'
import { toyRepair, toySession, toyTraits } from '../../../../../test/support/toy-log.ts'
import { examineLog } from '../../../check/examine-log.ts'
import { makeLineDamage } from '../../shared/make-line-damage.ts'
import { rawSeparator } from './index.ts'

const damage = makeLineDamage(rawSeparator)
const traits = { ...toyTraits, splitsAtSeparators: true }

const examine = async (text: string) => {
  const home = temporaryHome()
  const session = toySession(put(home, 'toy.jsonl', text), home)
  return {
    session,
    ...(await examineLog(session, traits, toyRepair, [damage], { isLive: false })),
  }
}

test('both separators are escaped where they stand, and mean the same', async () => {
  const text = '{"id":"a","text":"one\u2028two\u2029three"}\n{"id":"b"}\n'
  const { session, findings, changes } = await examine(text)
  expect(findings.map(finding => finding.damage)).toEqual(['raw-separator', 'raw-separator'])
  const after = patched(session, changes).toString()
  expect(after).toBe('{"id":"a","text":"one\\u2028two\\u2029three"}\n{"id":"b"}\n')
  expect(JSON.parse(after.split('\n')[0] ?? '')).toEqual(JSON.parse(text.split('\n')[0] ?? ''))
})

test('one that is escaped already, or stands in junk, is left alone', async () => {
  expect((await examine('{"id":"a","text":"\\u2028"}\n')).findings).toEqual([])
  expect((await examine('{"id":"a"}\n{"id":"b\u2028\n')).findings).toEqual([])
})

test('it is looked for where the agent splits lines there', () => {
  expect(damage.appliesTo({ ...toyTraits, splitsAtSeparators: true }, toyRepair)).toBe(true)
  expect(damage.appliesTo(toyTraits, toyRepair)).toBe(false)
})
