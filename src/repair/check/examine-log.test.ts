import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { toyRepair, toySession, toyTraits } from '../../../test/support/toy-log.ts'
import { isPatch } from '../../model/plan.ts'
import type { LogDamage } from '../damage/damage.ts'
import { damages } from '../damage/index.ts'
import { examineLog } from './examine-log.ts'

const A = '{"id":"a","text":"one"}'
const B = '{"id":"b","text":"two"}'
const C = '{"id":"c","text":"three"}'
const ofLogs = damages.filter((damage): damage is LogDamage => damage.framing === 'json-lines')

async function examine(text: string, damages = ofLogs) {
  const home = temporaryHome()
  put(home, 'toy.jsonl', text)
  const session = toySession(join(home, 'toy.jsonl'), home)
  return await examineLog(session, toyTraits, toyRepair, damages, { isLive: false })
}

test('a healthy log has no findings and no changes', async () => {
  const examination = await examine(`${A}\n${B}\n`)
  expect(examination).toMatchObject({ findings: [], changes: [], refusals: [], loads: { now: 2, afterRepair: 2 } })
})

/** A damage of these tests alone: some bytes that have to be others. */
function replacing(what: string, by: string): LogDamage {
  const id = `replaces ${what}`
  return {
    id,
    title: id,
    framing: 'json-lines',
    appliesTo: () => true,
    detect: ({ session, bytes }) => {
      const start = bytes.range(0, bytes.size).indexOf(what)
      if (start === -1) return []
      const at = { file: session.filePath, start, end: start + what.length }
      return [{ finding: { damage: id, severity: 'survived', at, text: '', hint: '' }, detail: at }]
    },
    plan: ({ session }, found) => ({
      changes: found.map(({ detail }) => {
        const { start, end } = detail as { start: number; end: number }
        const edit = { start, end, bytes: Buffer.from(by), damage: id, reason: 'r' }
        return { type: 'patch', file: session.filePath, edits: [edit] }
      }),
      refused: [],
    }),
    inflict: () => undefined,
  }
}

test('a damage that goes first is repaired before the ones after it are found', async () => {
  const first = { ...replacing(B, ' '.repeat(B.length)), goesFirst: () => true }
  const found = async (damages: LogDamage[]) => {
    const { findings } = await examine(`${A}\n${B}\n${C}\n`, damages)
    return findings.map(({ damage }) => damage)
  }
  expect(await found([replacing(B, ' '.repeat(B.length)), replacing('two', '222')])).toContain('replaces two')
  expect(await found([first, replacing('two', '222'), replacing('three', '33333')])).toEqual([
    first.id,
    'replaces three',
  ])
})

test('nothing waits for a damage that changes nothing', async () => {
  const first = { ...replacing('one', '111'), goesFirst: () => true, plan: () => ({ changes: [], refused: [] }) }
  const { findings } = await examine(`${A}\n${B}\n`, [first, replacing('two', '222')])
  expect(findings.map(({ damage }) => damage)).toEqual([first.id, 'replaces two'])
})

test('what the agent loads now and after the repair is reported', async () => {
  const { loads } = await examine(`${A}\n#${B}\n${C}\n`, [replacing('#', '')])
  expect(loads).toEqual({ now: 2, afterRepair: 3 })
})

test('several damages are planned together, in the coordinates of the file as it is', async () => {
  const torn = C.slice(0, 8)
  const text = `#${A}%${B}\n${torn}`
  const all = [replacing('#', ''), replacing('%', '\n\n'), replacing(torn, ' ')]
  const { findings, changes, loads } = await examine(text, all)
  expect(findings.map(({ damage }) => damage)).toEqual(all.map(({ id }) => id))
  const [patch] = changes.filter(isPatch)
  expect(patch?.edits.map(({ start, end }) => text.slice(start, end))).toEqual(['#', '%', torn])
  expect(loads).toEqual({ now: 0, afterRepair: 2 })
})

test('a damage that another one hid is found in the next round, at its place in the file', async () => {
  const hidden: LogDamage = {
    id: 'hidden',
    title: 'hidden',
    framing: 'json-lines',
    appliesTo: () => true,
    detect: ({ junk, session, bytes }) => {
      const at = bytes.range(0, bytes.size).indexOf('three')
      if (junk.length > 0 || at === -1) return []
      return [
        {
          finding: {
            damage: 'hidden',
            severity: 'survived',
            at: { file: session.filePath, start: at, end: at + 5 },
            text: '',
            hint: '',
          },
          detail: at,
        },
      ]
    },
    plan: ({ session }, found) => ({
      changes: [
        {
          type: 'patch',
          file: session.filePath,
          edits: found.map(({ detail }) => ({
            start: Number(detail),
            end: Number(detail) + 5,
            bytes: Buffer.from('drei'),
            damage: 'hidden',
            reason: 'r',
          })),
        },
      ],
      refused: [],
    }),
    inflict: () => undefined,
  }
  const text = `${A}#${B}\n${C}\n`
  const { findings, changes } = await examine(text, [replacing('#', '\n\n'), hidden])
  expect(findings.map(({ damage, at }) => [damage, 'start' in at ? text.slice(at.start, at.end) : ''])).toEqual([
    ['replaces #', '#'],
    ['hidden', 'three'],
  ])
  expect(changes.filter(isPatch).flatMap(({ edits }) => edits.map(({ start }) => start))).toEqual([
    A.length,
    text.indexOf('three'),
  ])
})

test('a damage whose cure never helps ends after a few rounds', async () => {
  let rounds = 0
  const endless: LogDamage = {
    id: 'endless',
    title: 'endless',
    framing: 'json-lines',
    appliesTo: () => true,
    detect: ({ session }) => [
      {
        finding: {
          damage: 'endless',
          severity: 'survived',
          at: { file: session.filePath, start: 0, end: 0 },
          text: '',
          hint: '',
        },
      },
    ],
    plan: ({ session }) => {
      rounds++
      return {
        changes: [
          {
            type: 'patch',
            file: session.filePath,
            edits: [{ start: 0, end: 0, bytes: Buffer.from(' '), damage: 'endless', reason: '' }],
          },
        ],
        refused: [],
      }
    },
    inflict: () => undefined,
  }
  const home = temporaryHome()
  put(home, 'toy.jsonl', `${A}\n`)
  await examineLog(toySession(join(home, 'toy.jsonl'), home), toyTraits, toyRepair, [endless], { isLive: false })
  expect(rounds).toBe(4)
})

test('an empty file is an error', async () => {
  await expect(examine('')).rejects.toMatchObject({ code: 'empty-file' })
})
