// How Codex 0.166.0 and 0.40.0 treat headers and records that stand in a rollout twice. FORMAT.md has the
// table.
import { appendFileSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { OTHER, open, spoken, user } from '../../../../test/support/codex/sessions.ts'
import type { EditLines } from '../../../../test/support/edited-recording.ts'
import { edited, editRecording, set, setIn } from '../../../../test/support/edited-recording.ts'
import { lines } from '../../../../test/support/home.ts'

const half = (all: string[]): number => all.length >> 1
const insert = (all: string[], at: number, ...more: string[]): string[] => [
  ...all.slice(0, at),
  ...more,
  ...all.slice(at),
]
const rename = (line: string | undefined): string => edited(line, setIn('id', OTHER))
/** The second prompt of the recording. */
const prompt = (all: string[]): number =>
  all.findIndex(line => line.includes('"response_item"') && line.includes('TOOL list'))

const MESSAGES = 16
const BEHIND_HALF = 8

const headers: [string, EditLines, number][] = [
  ['the header again in the middle', all => insert(all, half(all), all[0] ?? ''), BEHIND_HALF],
  ['the header of another thread in the middle', all => insert(all, half(all), rename(all[0])), BEHIND_HALF],
  ['the header again at the end', all => [...all, all[0] ?? ''], 0],
]
test.each(headers)('%s hides what stands before it, and is blanked', async (_, edit, now) => {
  const recording = await editRecording('codex-0.166.0', edit)
  const size = recording.bytes().length
  expect(await recording.check()).toMatchObject({
    status: 'corrupted',
    loads: { now, afterRepair: MESSAGES },
    shown: MESSAGES,
    found: ['repeated-header'],
  })
  expect(await recording.repair()).toBe('repaired')
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
  expect(recording.bytes().length).toBe(size)
})

const harmless: [string, EditLines][] = [
  ['behind the first one, as a fork has it', all => insert(all, 1, rename(all[0]))],
  ['without the fields that Codex insists on', all => insert(all, half(all), edited(all[0], set('payload', {})))],
  [
    'in a rollout that is not in pages',
    ([first, ...rest]) => {
      const legacy = edited(first, setIn('history_mode'))
      return insert([legacy, ...rest], half(rest), first ?? '')
    },
  ],
]
test.each(harmless)('a further header %s hides nothing', async (_, edit) => {
  const recording = await editRecording('codex-0.166.0', edit)
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
})

const copies: [string, EditLines, number][] = [
  ['the whole rollout', all => [...all, ...all], MESSAGES],
  ['the rollout without its header', all => [...all, ...all.slice(1)], 2 * MESSAGES],
  ['the rollout two times more', all => [...all, ...all, ...all], MESSAGES],
  ['its first half', all => [...all, ...all.slice(0, half(all))], MESSAGES - BEHIND_HALF],
  ['its second half', all => [...all, ...all.slice(half(all))], MESSAGES + BEHIND_HALF],
  ['one prompt', all => insert(all, prompt(all) + 1, all[prompt(all)] ?? ''), MESSAGES + 1],
  [
    'one prompt, with another time and ordinal',
    all => [
      ...all,
      edited(all[prompt(all)], record => {
        record['timestamp'] = '2026-11-15T09:00:00.000Z'
        record['ordinal'] = all.length
      }),
    ],
    MESSAGES + 1,
  ],
]
test.each(copies)('%s written again is shown once, and taken out', async (_, edit, now) => {
  const healthy = await editRecording('codex-0.166.0', all => all)
  const recording = await editRecording('codex-0.166.0', edit)
  expect(await recording.check()).toMatchObject({
    status: 'corrupted',
    loads: { now, afterRepair: MESSAGES },
    shown: MESSAGES,
    found: ['repeated-records'],
  })
  expect(await recording.repair()).toBe('repaired')
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
  expect(spoken(await recording.messages())).toEqual(spoken(await healthy.messages()))
})

/** The first output of a tool in the recording. */
const output = (all: string[]): number => all.findIndex(line => line.includes('"function_call_output"'))
const outputs: [string, EditLines][] = [
  ['before its call', all => insert(all, output(all) - 5, all[output(all)] ?? '')],
  ['behind itself', all => insert(all, output(all) + 1, all[output(all)] ?? '')],
  ['at the end', all => [...all, all[output(all)] ?? '']],
]
test.each(outputs)(
  'the output of a tool written again %s is sent twice, and once after the repair',
  async (_, edit) => {
    const recording = await editRecording('codex-0.166.0', edit)
    expect(await recording.check()).toMatchObject({
      status: 'corrupted',
      loads: { now: MESSAGES + 1, afterRepair: MESSAGES },
      shown: MESSAGES,
      found: ['unpaired-tool'],
      missing: 0,
    })
    expect(await recording.repair()).toBe('repaired')
    expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
  },
)

test('a copy at the end is cut off: the file is as it was before', async () => {
  const healthy = await editRecording('codex-0.166.0', all => all)
  const recording = await editRecording('codex-0.166.0', all => [...all, ...all.slice(half(all))])
  await recording.repair()
  expect(recording.bytes()).toEqual(healthy.bytes())
})

test('in a rollout without ids, the same line again is a copy, and the same words at another time are not', async () => {
  const last = (all: string[]): string => all.at(-1) ?? ''
  const copied = await editRecording('codex-0.40.0', all => [...all, last(all)])
  expect(await copied.check()).toMatchObject({ status: 'corrupted', loads: { now: 3, afterRepair: 2 }, shown: 2 })
  const later = (line: string): string => edited(line, set('timestamp', '2026-11-15T09:00:00.000Z'))
  const repeated = await editRecording('codex-0.40.0', all => [...all, later(last(all))])
  expect(await repeated.check()).toMatchObject({ status: 'healthy', loads: { now: 3, afterRepair: 3 }, shown: 3 })
})

test('turns are rolled back once, even if the log with the rollback is there twice', async () => {
  const back = (all: string[]): string =>
    edited(all.at(-1), record => {
      record['ordinal'] = all.length
      record['payload'] = { type: 'thread_rolled_back', num_turns: 1 }
    })
  const recording = await editRecording('codex-0.166.0', all => [...all, back(all), ...all.slice(1), back(all)])
  expect(await recording.check()).toMatchObject({ loads: { now: 28, afterRepair: 14 }, shown: 14 })
})

test('a copy that comes with the growth of a file is known again', async () => {
  const { file, read } = await open(lines(user('One'), user('Two')))
  const { end } = await read()
  appendFileSync(file, lines(user('Three')))
  const grown = await read({ after: end.checkpoint })
  expect(grown).toMatchObject({ end: { continued: true } })
  expect(spoken(grown.messages)).toEqual(['Three'])
  appendFileSync(file, readFileSync(file))
  const again = await read({ after: grown.end.checkpoint })
  expect(again).toMatchObject({ end: { continued: false } })
  expect(spoken(again.messages)).toEqual(['One', 'Two', 'Three'])
  expect(again.end.findings).toMatchObject([
    { damage: 'repeated-records', severity: 'survived', text: expect.stringContaining('3 records') },
  ])
})

test('copies that are taken out are not missing afterwards', async () => {
  const recording = await editRecording('codex-0.40.0', all => [...all, ...all])
  expect(await recording.check()).toMatchObject({ found: ['repeated-records'], missing: 0 })
})
