// Ids ascend, whatever the clock does, and come out of the journal alone.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  answerId,
  fromWireId,
  messageId,
  partId,
  partMark,
  permissionId,
  projectId,
  questionId,
  SessionIds,
  toWireId,
} from './ids.ts'

function expectAscending(ids: readonly string[]): void {
  const fault = ids.findIndex((id, at) => at > 0 && (ids[at - 1] ?? '') >= id)
  expect([fault, ids[fault]]).toEqual([-1, undefined])
}

describe('ids of sessions', () => {
  test('ascend within one millisecond, and beyond what one millisecond holds', () => {
    const now = 1_800_000_000_000
    const ids = new SessionIds(() => now)
    const first = Array.from({ length: 300 }, () => ids.next())
    const nearlyFull = `ses_${now.toString(16).padStart(12, '0')}rfffe000000000`
    ids.startAfter(nearlyFull)
    expectAscending([...first, nearlyFull, ids.next(), ids.next(), ids.next()])
  })

  test('ascend while the clock jumps forth and back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 42 }), { minLength: 1 }), times => {
        const left = [...times]
        const ids = new SessionIds(() => left.shift() ?? 0)
        expectAscending(times.map(() => ids.next()))
      }),
    )
  })

  test('go on above the newest in the journal after a restart with a clock that went back', () => {
    const before = new SessionIds(() => 2_000_000)
    const given = [before.next(), before.next()]
    const after = new SessionIds(() => 1_000_000)
    after.startAfter(given[1] ?? '')
    after.startAfter(given[0] ?? '')
    expectAscending([...given, after.next(), after.next()])
  })

  test('do not follow what another program gave', () => {
    const ids = new SessionIds(() => 1_800_000_000_000)
    const untouched = new SessionIds(() => 1_800_000_000_000)
    for (const id of ['ses_ffffffffffffAbCdEfGhIjKlMn', 'ses_ffffffffffffr0000abcdefghi', 'ses_x', 'other', ''])
      ids.startAfter(id)
    expect(ids.next().slice(0, 21)).toBe(untouched.next().slice(0, 21))
  })

  test('do not depend on the 48 bits that began again in 2026-08', () => {
    const wrap = Date.UTC(2026, 7, 14, 11, 19, 55)
    const times = [wrap - 1, wrap, wrap + 1, wrap + 1000]
    const ids = new SessionIds(() => times.shift() ?? 0)
    expectAscending([ids.next(), ids.next(), ids.next(), ids.next()])
  })

  test('have the prefix on the wire, and are found again without it', () => {
    expect(toWireId('ses_a')).toBe('ses_a')
    expect(toWireId('0190-uuid')).toBe('ses_0190-uuid')
    expect(toWireId('my-session', true)).toBe('my-session')
    expect(fromWireId('ses_0190-uuid')).toEqual(['ses_0190-uuid', '0190-uuid'])
    expect(fromWireId('my-session')).toEqual(['my-session'])
  })
})

describe('ids made of the journal', () => {
  test('of messages ascend with the events, an answer right behind what it answers', () => {
    const ids = [1, 2, 15, 16, 4096, 1_000_000].flatMap(seq => {
      const id = messageId('s', seq)
      return [id, answerId(id), answerId(id, 2)]
    })
    expectAscending(ids)
  })

  test('of parts ascend in one message, by event and by place, also beyond two digits', () => {
    const places = Array.from({ length: 3000 }, (_, index) => index)
    const mark = partMark('s', 'm')
    const inOneEvent = [partId(mark, 7, 'first'), ...places.map(place => partId(mark, 7, place))]
    expectAscending([...inOneEvent, partId(mark, 8, 0), partId(mark, 9, 'last')])
  })

  test('are 26 characters behind the prefix, and the same each time', () => {
    const ids = [
      messageId('s', 1),
      partId(partMark('s', 'm'), 1, 0),
      partId('', 1, 5000),
      permissionId('k', 1),
      questionId('k', 1),
    ]
    for (const id of ids) expect(id).toMatch(/^(msg|prt|per|que)_[0-9a-f]{12}[0-9a-z]{14}$/)
    expect(ids.slice(0, 1)).toEqual([messageId('s', 1)])
    expect(projectId('/a')).not.toBe(projectId('/b'))
  })

  test('differ between sessions, messages and requests', () => {
    const ids = [
      messageId('a', 1),
      messageId('b', 1),
      messageId('a', 1, 1),
      partMark('a', 'm'),
      partMark('a', 'n'),
      partMark('b', 'm'),
    ]
    expect(new Set([...ids, permissionId('c/1', 1), permissionId('c/2', 1)]).size).toBe(8)
  })
})
