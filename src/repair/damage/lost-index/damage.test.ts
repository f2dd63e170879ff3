import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { toyRepair, toySession, toyTraits } from '../../../../test/support/toy-log.ts'
import type { IndexProblem, LogRepair } from '../../../agents/repair.ts'
import { examineLog } from '../../check/examine-log.ts'
import { lostIndex } from './index.ts'

const traits = { ...toyTraits, indexBeside: true }
const trouble: IndexProblem = {
  file: '/home/dev/index.db',
  text: 'cannot be used',
  changes: [{ type: 'remove', file: '/home/dev/index.db', isDatabase: true, reason: 'set aside' }],
  isFatal: true,
}

const examine = async (...troubles: IndexProblem[]) => {
  const home = temporaryHome()
  const session = toySession(put(home, 'toy.jsonl', '{"id":"a"}\n'), home)
  const repair: LogRepair = { ...toyRepair, checkIndex: async () => troubles }
  return await examineLog(session, traits, repair, [lostIndex], { isLive: false })
}

test('an index that keeps the agent from loading anything is set aside, and then all is loaded', async () => {
  const { findings, changes, loads } = await examine(trouble)
  expect(findings).toMatchObject([{ damage: 'lost-index', at: { file: trouble.file }, text: 'cannot be used' }])
  expect(changes).toEqual(trouble.changes.map(change => ({ ...change, damage: 'lost-index' })))
  expect(loads).toEqual({ now: 0, afterRepair: 1 })
})

test('one that only hides the session from a list costs no message', async () => {
  expect((await examine({ ...trouble, isFatal: false })).loads).toEqual({ now: 1, afterRepair: 1 })
})

test('a refused repair is reported, and the agent still loads nothing', async () => {
  const { changes, refusals, loads } = await examine({ ...trouble, refused: 'not derived' })
  expect(changes).toEqual([])
  expect(refusals).toMatchObject([{ damage: 'lost-index', reason: 'not derived' }])
  expect(loads).toEqual({ now: 0, afterRepair: 0 })
})

test('a sound index gives no finding', async () => {
  expect(await examine()).toMatchObject({ findings: [], changes: [], loads: { now: 1, afterRepair: 1 } })
})
