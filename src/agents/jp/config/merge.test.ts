import { describe, expect, test } from 'vitest'
import { mergeConfig, settledConfig } from './merge.ts'
import { normalConfig } from './normal.ts'

function merged(...layers: Record<string, unknown>[]): unknown {
  const config = {}
  for (const layer of layers) mergeConfig(config, normalConfig(layer))
  return settledConfig(config)
}

const SECTIONS = (value: unknown) => ({ assistant: { system_prompt_sections: value } })
const PROMPT = (value: unknown) => ({ assistant: { system_prompt: value } })
const TOOL = (tool: object) => ({ conversation: { tools: { read: tool } } })
const LABELS = (labels: object) => ({ conversation: { labels } })

test('of values the later counts, objects are merged, and null says nothing', () => {
  expect(merged({ style: { a: 1, b: 2 }, user: { name: 'Ann' } }, { style: { b: 3 }, user: null })).toEqual({
    style: { a: 1, b: 3 },
    user: { name: 'Ann' },
  })
})

describe('lists', () => {
  test.each([
    ['are added to', ['b'], ['a', 'b']],
    ['replace, if they say so', { value: ['b'], strategy: 'replace' }, ['b']],
    ['go before, if they say so', { value: ['b'], strategy: 'prepend' }, ['b', 'a']],
    ['are added to, if they say nothing else', { value: ['b'] }, ['a', 'b']],
    ['add nothing twice, if they say so', { value: ['a', 'b'], dedup: true }, ['a', 'b']],
  ])('%s', (_, next, wanted) => {
    expect(merged(SECTIONS(['a']), SECTIONS(next))).toEqual(SECTIONS(wanted))
  })

  test('count for nothing beside others, if they say so', () => {
    expect(merged(SECTIONS({ value: ['a'], discard_when_merged: true }), SECTIONS(['b']))).toEqual(SECTIONS(['b']))
  })

  test('of attachments hold nothing twice', () => {
    const attached = (...attachments: string[]) => ({ conversation: { attachments } })
    expect(merged(attached('a'), attached('a', 'b'))).toEqual(attached('a', 'b'))
  })

  test('of load paths and of stop words are replaced', () => {
    expect(merged({ config_load_paths: ['a'] }, { config_load_paths: ['b'] })).toEqual({ config_load_paths: ['b'] })
  })

  test('that JP knows nothing special about are replaced', () => {
    expect(merged(TOOL({ command: { args: ['a'] } }), TOOL({ command: { args: ['b'] } }))).toEqual(
      TOOL({ command: { args: ['b'] } }),
    )
  })

  test('that belong to a tool are not settings', () => {
    const options = (instructions: string[]) => TOOL({ options: { instructions } })
    expect(merged(options(['a']), options(['b']))).toEqual(options(['b']))
  })

  test('for the model are in the order of their positions', () => {
    const [late, early] = [
      { content: 'b', position: 5 },
      { content: 'a', position: -5 },
    ]
    expect(merged(SECTIONS([late]), SECTIONS([early]))).toEqual(SECTIONS([early, late]))
  })
})

describe('texts', () => {
  test.each([
    ['replace', 'b', 'b'],
    ['are added behind a blank line', { value: 'b' }, 'a\n\nb'],
    ['are added as they say', { value: 'b', strategy: 'append', separator: 'space' }, 'a b'],
    ['go before, if they say so', { value: 'b', strategy: 'prepend', separator: 'line' }, 'b\na'],
    ['replace, if they say so', { value: 'b', strategy: 'replace' }, 'b'],
  ])('%s', (_, next, wanted) => {
    expect(merged(PROMPT('a'), PROMPT(next))).toEqual(PROMPT(wanted))
  })
})

describe('maps', () => {
  test.each([
    ['deep_merge', { a: { x: 1, y: 2 }, b: 1 }],
    ['merge', { a: { y: 2 }, b: 1 }],
    ['keep', { a: { x: 1 }, b: 1 }],
    ['replace', { a: { y: 2 }, b: 1 }],
  ])('%s', (strategy, wanted) => {
    const next = { value: { a: { y: 2 }, b: 1 }, strategy }
    expect(merged(LABELS({ a: { x: 1 } }), LABELS(next))).toEqual(LABELS(wanted))
  })

  test('in which something is called value are maps all the same', () => {
    expect(merged(LABELS({ branch: { value: 'a' } }), LABELS({ branch: { value: 'b', optional: true } }))).toEqual(
      LABELS({ branch: { value: 'b', optional: true } }),
    )
  })
})

describe('one spelling', () => {
  test.each([
    [true, { state: true, allow_toggle: 'any' }],
    ['off', { state: false, allow_toggle: 'any' }],
    ['always', { state: true, allow_toggle: 'never' }],
    ['explicit', { state: false, allow_toggle: 'if_named' }],
    [{ state: false }, { state: false, allow_toggle: 'never' }],
  ])('of whether a tool is on: %j', (enable, wanted) => {
    expect(merged(TOOL({ enable: { allow_toggle: 'never' } }), TOOL({ enable }))).toEqual(TOOL({ enable: wanted }))
  })

  test('of models, but not of what a tool calls a model', () => {
    const id = { provider: 'openai', name: 'meta/x' }
    expect(merged({ assistant: { model: { id: 'openai/meta/x' } } })).toEqual({ assistant: { model: { id } } })
    expect(merged(TOOL({ options: { model: { id: 'openai/x' } } }))).toEqual(
      TOOL({ options: { model: { id: 'openai/x' } } }),
    )
  })
})

test('what is merged in is not changed by what comes later', () => {
  const first = { style: { a: { b: 1 } } }
  merged(first, { style: { a: { b: 2 } } })
  expect(first).toEqual({ style: { a: { b: 1 } } })
})
