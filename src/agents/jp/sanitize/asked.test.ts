// What a person decides is what happens; what they typed is remembered.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { json, linesOf, NAME, person, putOne, run } from '../../../../test/support/jp/run.ts'
import { BASE } from '../../../../test/support/jp/store.ts'
import type { Decider, EventsProblem, FlagsProblem, SanitizeReport } from '../../sanitizer.ts'

const TURN = '{"timestamp":"2026-11-01 10:00:00.0","type":"turn_start"}'

test('events with a comma too many: the problem is shown with place, lines and a fix, which is taken', async () => {
  const home = quickHome()
  const bad = `[\n  ${TURN},\n]\n`
  const folder = putOne(home, { 'events.json': bad })
  let seen: EventsProblem | undefined
  const decide = person(problem => {
    seen = problem
    return { type: 'replace', bytes: problem.suggestion?.bytes ?? Buffer.alloc(0), by: 'suggestion' }
  })
  const { repaired } = await run(home, { decide })
  expect(seen).toMatchObject({
    text: 'events.json: trailing comma at line 3 column 1',
    line: 3,
    column: 1,
    excerpt: bad.trimEnd(),
  })
  expect(repaired[0]?.line).toBe(
    `Repaired conversation ${NAME}: repaired events.json as suggested: remove the trailing comma`,
  )
  expect(readFileSync(join(folder, 'events.json'), 'utf8')).toBe(`[\n  ${TURN}\n]\n`)
  expect(readFileSync(repaired[0]?.quarantine ?? '', 'utf8')).toBe(bad)
})

test('a replacement that JP could not load is not taken', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'events.json': '[' })
  const decide = person(({ validate }) => {
    expect(validate(Buffer.from('[1]'))).toMatchObject({ line: 1, column: 2 })
    return { type: 'replace', bytes: Buffer.from('[1]'), by: 'editor' }
  })
  expect((await run(home, { decide })).left).toHaveLength(1)
  expect(readFileSync(join(folder, 'events.json'), 'utf8')).toBe('[')
})

test('events that only the loader stumbles over are listed one by one', async () => {
  const home = quickHome()
  const bad = '{"timestamp":"2026-11-01 10:00:00.0","type":"chat_request","content":null}'
  putOne(home, { 'events.json': `[${TURN},${bad},${TURN}]` })
  const decide = person(({ elements, suggestion }) => {
    expect(elements).toMatchObject([{ index: 1, text: '[1].content should be a string, and is null' }])
    expect(suggestion?.bytes.toString()).toBe(`[${TURN},${TURN}]`)
    return { type: 'trash' }
  })
  expect((await run(home, { decide })).trashed).toHaveLength(1)
})

function typing(line: string, seen: FlagsProblem[] = []): Decider {
  return person(
    () => ({ type: 'leave' }),
    problem => {
      seen.push(problem)
      const result = problem.parse(line)
      return result.type === 'delta' ? { type: 'flags', result } : { type: 'skip' }
    },
  )
}

test('the flags of the start become init_config.json and the first event, and are remembered', async () => {
  const home = quickHome()
  const events = `[\n  {\n    "timestamp": "2026-11-01 10:00:00.0",\n    "type": "turn_start",\n    "metadata": {"n": 1.0}\n  }\n]\n`
  const folder = putOne(home, { 'init_config.json': '{', 'events.json': events })
  const { repaired, degraded } = await run(home, { decide: typing('-m openai/gpt-x') })
  expect(degraded).toEqual([])
  expect(repaired.map(({ file }) => file)).toEqual(['init_config.json', 'events.json'])
  const delta = { assistant: { model: { id: { provider: 'openai', name: 'gpt-x' } } } }
  expect(json(join(folder, 'init_config.json'))).toEqual({ timestamp: '2026-11-01 10:00:00.0', delta })
  const after = readFileSync(join(folder, 'events.json'), 'utf8')
  expect(JSON.parse(after)[0]).toEqual({ type: 'config_delta', timestamp: '2026-11-01 10:00:00.0', delta })
  expect(after.endsWith(events.slice(1))).toBe(true)
  writeFileSync(join(folder, 'init_config.json'), '{')
  const seen: FlagsProblem[] = []
  await run(home, { decide: typing('-m google/gemini-x', seen) })
  expect(seen[0]?.remembered).toBe('-m openai/gpt-x')
  const again = JSON.parse(readFileSync(join(folder, 'events.json'), 'utf8'))
  expect(again).toHaveLength(2)
  expect(again[0].delta.assistant.model.id.name).toBe('gemini-x')
})

test('where the first event holds the config, the flags go into init_config.json alone', async () => {
  const home = quickHome()
  const events = `[{"type":"config_delta","timestamp":"2026-11-01 10:00:00.0","delta":${JSON.stringify(BASE)}}]`
  const folder = putOne(home, { 'base_config.json': undefined, 'init_config.json': '{', 'events.json': events })
  await run(home, { decide: typing('-m openai/gpt-x') })
  expect(readFileSync(join(folder, 'events.json'), 'utf8')).toBe(events)
  expect(existsSync(join(folder, 'init_config.json'))).toBe(true)
})

test('flags are not asked for while the events stay damaged, but by the run that repairs these', async () => {
  const home = quickHome()
  const folder = putOne(home, { 'init_config.json': '{', 'events.json': `[${TURN},]` })
  const seen: FlagsProblem[] = []
  const { left, repaired } = await run(home, { decide: typing('-m openai/gpt-x', seen) })
  expect(seen).toEqual([])
  expect(repaired).toEqual([])
  expect(left.map(({ file }) => file)).toEqual(['events.json', 'init_config.json'])
  expect(readFileSync(join(folder, 'init_config.json'), 'utf8')).toBe('{')
  const fixing = { ...typing('-m openai/gpt-x', seen), events: fixed }
  await run(home, { decide: fixing })
  expect(seen).toHaveLength(1)
  expect(JSON.parse(readFileSync(join(folder, 'events.json'), 'utf8'))[0]).toMatchObject({ type: 'config_delta' })
})

async function fixed({ suggestion }: EventsProblem) {
  return { type: 'replace' as const, bytes: suggestion?.bytes ?? Buffer.alloc(0), by: 'suggestion' as const }
}

test('what was done before a fault is still reported', async () => {
  const home = quickHome()
  putOne(home, { 'metadata.json': undefined }, '17935270000')
  putOne(home, { 'events.json': `[${TURN},]` })
  let begun: SanitizeReport | undefined
  const decide = person(() => {
    throw new TypeError('a fault')
  })
  const onBegin = (report: SanitizeReport): void => {
    begun = report
  }
  await expect(run(home, { decide, onBegin })).rejects.toThrow('a fault')
  expect(begun?.repaired).toMatchObject([{ conversation: '17935270000', file: 'metadata.json' }])
})

test('what was finished before a person gives up stays', async () => {
  const home = quickHome()
  for (let index = 0; index < 5; index++) putOne(home, { 'events.json': `[${TURN},]` }, `1793527000${index}`)
  const stop = new AbortController()
  let asked = 0
  const decide = person(({ suggestion }) => {
    asked++
    if (asked === 3) {
      stop.abort()
      throw new Error('given up')
    }
    return { type: 'replace', bytes: suggestion?.bytes ?? Buffer.alloc(0), by: 'suggestion' }
  })
  const report = await run(home, { decide, signal: stop.signal })
  expect(report).toMatchObject({ isInterrupted: true, left: [], trashed: [] })
  expect(report.repaired).toHaveLength(2)
  expect(linesOf(await run(home, { mode: 'check' }))).toHaveLength(3)
})
