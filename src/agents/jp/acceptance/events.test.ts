// events.json: every repair preserves the events that JP does not know. A file that changes during a run is examined again.
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { ONE_BAD_EVENT } from '../../../../test/support/jp/damage-states.ts'
import { linesOf, NAME, person, putBoth, putOne, run, treeOf } from '../../../../test/support/jp/run.ts'
import type { EventsProblem } from '../../sanitizer.ts'

const UNKNOWN =
  '{"zeta":1.0, "type" : "hologram","timestamp":null,"big":12345678901234567890,"2":-0.0,"1":1E2,"s":"\\u00e9\\/"}'
const KNOWN =
  '{"timestamp":"2026-11-01 10:00:00.0","type":"chat_request","content":"hi","event_id":98765432109876543210,"v":2.0}'
const BAD = '{"timestamp":"2026-11-01 10:00:00.0","type":"chat_request"}'

describe('an event of an unknown kind, and an unknown field of a known one, survive to the last byte', () => {
  const suggested = person(({ suggestion }) =>
    suggestion === undefined ? { type: 'leave' } : { type: 'replace', bytes: suggestion.bytes, by: 'suggestion' },
  )
  const edited = person(({ bytes }) => ({ type: 'replace', bytes: Buffer.from(`${bytes}]`), by: 'editor' }))
  const flags = person(
    () => ({ type: 'leave' }),
    ({ parse }) => {
      const result = parse('-m openai/gpt-x')
      return result.type === 'delta' ? { type: 'flags', result } : { type: 'skip' }
    },
  )

  test.each([
    ['what can be read of a cut file', `[${UNKNOWN},${KNOWN},{"ti`, { salvage: true }],
    ['a file with an event that JP cannot load', `[${UNKNOWN},${BAD},${KNOWN}]`, { salvage: true }],
    ['a file without its bracket', `${UNKNOWN},\n${KNOWN}]`, { salvage: true }],
    ['the suggested fix', `[\n${UNKNOWN},\n${KNOWN},\n]`, { decide: suggested }],
    ['the suggested fix of two events that run together', `[${UNKNOWN}${KNOWN}]`, { decide: suggested }],
    ['what a person has typed', `[${UNKNOWN},${KNOWN}`, { decide: edited }],
    ['the overrides that are put before them', `[${UNKNOWN},${KNOWN}]`, { decide: flags }],
  ])('in %s', async (_, content, options) => {
    const home = quickHome()
    const folder = putOne(home, { 'events.json': content, 'init_config.json': '{' })
    const { repaired } = await run(home, options)
    expect(repaired.map(({ file }) => file)).toContain('events.json')
    const after = readFileSync(join(folder, 'events.json'), 'utf8')
    expect(after).toContain(UNKNOWN)
    expect(after).toContain(KNOWN)
    expect(after.split(UNKNOWN).length + after.split(KNOWN).length).toBe(4)
    expect(linesOf(await run(home, { mode: 'check' }))).toEqual([])
  })

  test('in a copy of the other storage', async () => {
    const home = quickHome()
    const sound = ` [ ${UNKNOWN} , ${KNOWN} ]`
    const { own } = putBoth(home, { 'events.json': '[' }, { 'events.json': sound })
    await run(home)
    expect(readFileSync(join(own, 'events.json'), 'utf8')).toBe(sound)
  })
})

test('single events that only the loader refuses stay unchanged without a user, and the rest is repaired', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'events.json': ONE_BAD_EVENT, 'metadata.json': undefined })
  const { lockedOut, repaired, trashed } = await run(home)
  expect(lockedOut).toMatchObject([{ conversation: NAME, file: 'events.json' }])
  expect(repaired).toMatchObject([{ file: 'metadata.json' }])
  expect(trashed).toEqual([])
  expect(readFileSync(join(folder, 'events.json'), 'utf8')).toBe(ONE_BAD_EVENT)
})

test.each([
  ['as deep as JP reads', 127, 0],
  ['one deeper', 128, 1],
])('events that are nested %s', async (_, depth, count) => {
  const home = quickHome()
  const inner = depth - 2
  const content = `[{"timestamp":"","type":"x","a":${'['.repeat(inner)}${']'.repeat(inner)}}]`
  putOne(home, { 'events.json': content })
  expect((await run(home, { mode: 'check' })).lockedOut).toHaveLength(count)
})

test('events beside messages of earlier times are untouched, and so are their times', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'messages.json': '[{"message":"hi"}]' }, '17636257526-x')
  const entry = () =>
    readdirSync(folder).map(name => {
      const { ino, mtimeNs, ctimeNs } = statSync(join(folder, name), { bigint: true })
      return [name, ino, mtimeNs, ctimeNs]
    })
  const before = [treeOf(join(home, 'shop')), entry()]
  for (const options of [{ mode: 'check' }, {}, { salvage: true, force: true }] as const)
    expect(linesOf(await run(home, options))).toEqual([])
  expect([treeOf(join(home, 'shop')), entry()]).toEqual(before)
})

describe('while a person is asked', () => {
  const fix = ({ suggestion }: EventsProblem) =>
    suggestion === undefined
      ? ({ type: 'leave' } as const)
      : ({ type: 'replace', bytes: suggestion.bytes, by: 'suggestion' } as const)

  test('a file that has grown is examined and asked about again', async () => {
    const home = quickHome()
    const path = join(putOne(home, { 'events.json': `[${KNOWN},` }), 'events.json')
    let asked = 0
    const decide = person(problem => {
      if (++asked === 1) appendFileSync(path, UNKNOWN)
      return fix(problem)
    })
    expect((await run(home, { decide })).repaired).toHaveLength(1)
    expect(asked).toBe(2)
    expect(readFileSync(path, 'utf8')).toContain(UNKNOWN)
  })

  test('a file that never stands still is left alone after three times', async () => {
    const home = quickHome()
    const path = join(putOne(home, { 'events.json': `[${KNOWN},` }), 'events.json')
    let asked = 0
    const decide = person(problem => {
      asked++
      appendFileSync(path, ' ')
      return fix(problem)
    })
    const { blocked, repaired } = await run(home, { decide })
    expect([blocked.length, repaired.length, asked]).toEqual([1, 0, 3])
    expect(readFileSync(path, 'utf8')).toBe(`[${KNOWN},   `)
  })

  test('a conversation that is gone meanwhile is not damage, and the next one is repaired', async () => {
    const home = quickHome()
    const gone = putOne(home, { 'events.json': `[${KNOWN},]` }, '17935270000-gone')
    const path = join(putOne(home, { 'events.json': `[${KNOWN},]` }), 'events.json')
    const decide = { ...person(fix), announce: async () => rmSync(gone, { recursive: true }) }
    const report = await run(home, { decide })
    expect(linesOf(report)).toEqual([
      `Repaired conversation ${NAME}: repaired events.json as suggested: remove the trailing comma`,
    ])
    expect(readFileSync(path, 'utf8')).toBe(`[${KNOWN}]`)
  })

  test('what another program has repaired meanwhile is not repaired again', async () => {
    const home = quickHome()
    const path = join(putOne(home, { 'events.json': `[${KNOWN},]` }), 'events.json')
    const decide = { ...person(fix), announce: async () => writeFileSync(path, `[${UNKNOWN}]`) }
    expect(linesOf(await run(home, { decide }))).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(`[${UNKNOWN}]`)
  })
})
