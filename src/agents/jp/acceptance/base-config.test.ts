// base_config.json: what is wrong in it is repaired, and nothing else of it is touched.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickHome } from '../../../../test/support/faults.ts'
import { linesOf, person, putBoth, putOne, run } from '../../../../test/support/jp/run.ts'
import { BASE } from '../../../../test/support/jp/store.ts'

/** In an unusual format, with numbers that JavaScript cannot hold. */
const ODD = `"user" : {"name":"Ann"},\n\t"providers":{"x":{"1":1.0,"b":12345678901234567890,"a":-0.0 , "e":1E2}}`
const MODEL = '"assistant":{"model":{"id":{"provider":"anthropic","name":"claude-x"}}}'
const TOOLS = '"conversation":{"tools":{"*":{"run":"ask"}}}'

describe('a value that JP does not take', () => {
  test.each([
    [
      'a duration that is a number',
      `{${MODEL},${TOOLS},"style":{"typewriter":{"text_delay":3}},${ODD}}`,
      `{${MODEL},${TOOLS},"style":{"typewriter":{}},${ODD}}`,
      'style.typewriter.text_delay',
    ],
    [
      'a tool with an unknown run mode',
      `{${ODD},${MODEL},"conversation":{"x":1.0,"tools":{"*":{"run":"never","y":[1.0]}}}}`,
      `{${ODD},${MODEL},"conversation":{"x":1.0,"tools":{"*":{"run":"ask","y":[1.0]}}}}`,
      'conversation.tools.*.run',
    ],
    [
      'a model without a provider',
      `{"assistant":{"model":{"id":{"name":"own-one"}},"z":1.0},${TOOLS},${ODD}}`,
      `{"assistant":{"model":{"id":{"name":"own-one",\n  "provider": "anthropic"}},"z":1.0},${TOOLS},${ODD}}`,
      'assistant.model.id.provider',
    ],
  ])(
    '%s: a check says that JP cannot load it; repaired, every other byte is as it was',
    async (_, bad, good, field) => {
      const home = quickHome()
      putOne(home, {}, '17935270000-donor')
      const folder = putOne(home, { 'base_config.json': bad })
      const checked = await run(home, { mode: 'check' })
      expect(checked.lockedOut.map(({ file, line }) => [file, line.includes(field)])).toEqual([
        ['base_config.json', true],
      ])
      expect(linesOf(checked)).toHaveLength(1)
      const { repaired } = await run(home)
      expect(repaired[0]?.line).toContain(field)
      expect(compact(readFileSync(join(folder, 'base_config.json'), 'utf8'))).toBe(compact(good))
      expect(readFileSync(repaired[0]?.quarantine ?? '', 'utf8')).toBe(bad)
      expect(linesOf(await run(home))).toEqual([])
    },
  )

  /** Around what is new, white space is free. */
  function compact(text: string): string {
    return text.replace(/,\s*"provider": /, ',"provider":')
  }

  test('among the overrides of the first call takes these away, and not the config beside them', async () => {
    const home = quickHome()
    const bad = `{"base":{${MODEL},${TOOLS},${ODD}},"init":[{"timestamp":"2026-11-01 10:00:00.0","delta":7}]}`
    const folder = putOne(home, { 'base_config.json': bad })
    const { repaired } = await run(home)
    expect(repaired).toMatchObject([{ file: 'base_config.json', remark: expect.stringContaining('flags') }])
    expect(readFileSync(join(folder, 'base_config.json'), 'utf8')).toBe(`{${MODEL},${TOOLS},${ODD}}`)
    expect(linesOf(await run(home))).toEqual([])
  })

  test('that nothing can replace goes alone', async () => {
    const home = quickHome()
    const bad = `{${MODEL},${TOOLS},"style":5,${ODD}}`
    const folder = putOne(home, { 'base_config.json': bad })
    await run(home)
    expect(readFileSync(join(folder, 'base_config.json'), 'utf8')).toBe(`{${MODEL},${TOOLS},${ODD}}`)
  })
})

test.each(['{}', '[]', '{"assistant":{}}'])(
  '%s: a check says that JP cannot load it, and it is kept beside the new one',
  async bad => {
    const home = quickHome()
    const { own } = putBoth(
      home,
      { 'base_config.json': bad },
      { 'base_config.json': { ...BASE, user: { name: 'Ann' } } },
    )
    expect((await run(home, { mode: 'check' })).lockedOut).toMatchObject([{ file: 'base_config.json' }])
    const { repaired } = await run(home)
    expect(repaired).toMatchObject([{ file: 'base_config.json', source: 'the user-local copy' }])
    expect(readFileSync(repaired[0]?.quarantine ?? '', 'utf8')).toBe(bad)
    expect(JSON.parse(readFileSync(join(own, 'base_config.json'), 'utf8'))).toMatchObject(BASE)
    expect(linesOf(await run(home))).toEqual([])
  },
)

test('where the first event holds the config, nothing is put before it, whatever is damaged and with or without a user', async () => {
  const home = quickHome()
  const events = `[{"type":"config_delta","timestamp":"2026-11-01 10:00:00.0","delta":${JSON.stringify(BASE)}}]`
  const folder = putOne(home, { 'base_config.json': '{"assist', 'init_config.json': '{', 'events.json': events })
  const decide = person(
    () => ({ type: 'leave' }),
    ({ parse }) => {
      const result = parse('-m openai/gpt-x')
      return result.type === 'delta' ? { type: 'flags', result } : { type: 'skip' }
    },
  )
  const { repaired, degraded } = await run(home, { decide })
  expect(degraded).toEqual([])
  expect(repaired.map(({ file }) => file)).toEqual(['base_config.json', 'init_config.json'])
  expect(existsSync(join(folder, 'base_config.json'))).toBe(false)
  expect(readFileSync(join(folder, 'events.json'), 'utf8')).toBe(events)
  expect(linesOf(await run(home))).toEqual([])
})
