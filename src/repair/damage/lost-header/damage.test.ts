import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../../test/support/home.ts'
import { patched } from '../../../../test/support/log-view.ts'
import { toyRepair, toySession, toySubject, toyTraits } from '../../../../test/support/toy-log.ts'
import type { LogRepair, RebuiltHeader } from '../../../agents/repair.ts'
import { examineLog } from '../../check/examine-log.ts'
import type { InflictTarget, LogSubject } from '../damage.ts'
import { brokenLines } from '../lines/index.ts'
import { makeLineDamage } from '../shared/make-line-damage.ts'
import { lostHeader } from './index.ts'

const traits = { ...toyTraits, headerRecord: true }
const HEADER = '{"id":"header","of":"one"}'
const repairWith = (rebuilt: (log: LogSubject | object) => RebuiltHeader): LogRepair => ({
  ...toyRepair,
  describe: record => ({ kind: record['id'] === 'header' ? 'header' : 'talk' }),
  load: ({ visible }) => {
    const messages = visible.length > 0 && visible.kind(0) === 'header' ? visible.length - 1 : 0
    return { messages, depth: messages, chain: [] }
  },
  header: { isPresent: ({ index }) => index.kind(0) === 'header', rebuild: rebuilt },
})
const atStart = repairWith(() => ({ start: 0, end: 0, bytes: Buffer.from(`${HEADER}\n`), reason: 'made again' }))
const examine = async (text: string, repair: LogRepair) => {
  const home = temporaryHome()
  const session = toySession(put(home, 'toy.jsonl', text), home)
  const damages = [...brokenLines.map(makeLineDamage), lostHeader]
  return { session, ...(await examineLog(session, traits, repair, damages, { isLive: false })) }
}

test('a log without its header gets it back, and is loaded again', async () => {
  const { session, findings, changes, loads } = await examine('{"id":"a"}\n', atStart)
  expect(findings).toMatchObject([{ damage: 'lost-header', severity: 'lost' }])
  expect(loads).toEqual({ now: 0, afterRepair: 1 })
  expect(patched(session, changes).toString()).toBe(`${HEADER}\n{"id":"a"}\n`)
})

test('a log with its header misses nothing, and one without any record is no session', async () => {
  expect((await examine(`${HEADER}\n{"id":"a"}\n`, atStart)).findings).toEqual([])
  await expect(examine('\n\n', atStart)).rejects.toMatchObject({ code: 'not-a-session' })
})

test('a header that nobody can make again is reported with the reason, and nothing is changed', async () => {
  const { findings, changes, refusals } = await examine(
    '{"id":"a"}\n',
    repairWith(() => ({ refused: 'nobody knows' })),
  )
  expect(findings).toHaveLength(1)
  expect(changes).toEqual([])
  expect(refusals).toMatchObject([{ damage: 'lost-header', reason: 'nobody knows' }])
})

test('it is looked for where the agent needs a header and its folder knows one', () => {
  expect(lostHeader.appliesTo(traits, atStart)).toBe(true)
  expect(lostHeader.appliesTo(toyTraits, atStart)).toBe(false)
  expect(lostHeader.appliesTo(traits, toyRepair)).toBe(false)
  expect(lostHeader.appliesTo({ ...traits, isCompressed: true }, atStart)).toBe(false)
})

test('inflicted, every header is gone, or of the first one only a piece is left', () => {
  const whole = Buffer.from(`${HEADER}\n{"id":"a"}\n${HEADER}\n{"id":"b"}\n`)
  const inflicted = (draws: number[]) => {
    let written: Buffer = whole
    const below = (limit: number): number => Math.min(draws.shift() ?? 0, limit - 1)
    const target: InflictTarget = {
      ...toySubject(whole),
      repair: atStart,
      session: toySession(join('/', 'toy.jsonl')),
      read: () => whole,
      write: (_, bytes) => {
        written = bytes
      },
      remove: () => undefined,
      sql: () => [],
    }
    expect(lostHeader.inflict(target, { next: () => 0, below })).toBeDefined()
    return written.toString()
  }
  expect(inflicted([0])).toBe('{"id":"a"}\n{"id":"b"}\n')
  expect(inflicted([1, 4])).toBe('{"id"\n{"id":"a"}\n{"id":"b"}\n')
})
