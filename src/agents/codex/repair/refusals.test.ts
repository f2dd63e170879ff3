// Fields without which Codex skips a record, as measured with 0.166.0 and 0.40.0.
import { expect, test } from 'vitest'
import type { ChangeRecord } from '../../../../test/support/edited-recording.ts'
import { edited, editRecording, set, setIn } from '../../../../test/support/edited-recording.ts'

const MESSAGES = 16

const onLine = (text: string, change: ChangeRecord) => (all: string[]) => {
  const at = all.findIndex(line => line.includes('"response_item"') && line.includes(text))
  return all.map((line, place) => (place === at ? edited(line, change) : line))
}

const repaired: [string, string, ChangeRecord][] = [
  ['without a time', 'TOOL list', set('timestamp')],
  ['with a number as its time', 'TOOL list', set('timestamp', 5)],
  ['with a text as its ordinal', 'TOOL list', set('ordinal', 'x')],
  ['with a plain text as its content', 'TOOL list', setIn('content', 'Grüße')],
  ['with a number as its id', 'TOOL list', setIn('id', 7)],
  ['with an object for its arguments', '"function_call"', setIn('arguments', { cmd: ['ä'] })],
  ['with an object for its output', '"function_call_output"', setIn('output', { text: 'done' })],
  ['with a text as its metadata', 'TOOL list', set('metadata', 'x')],
]
test.each(repaired)('a record %s is not loaded, and is made readable', async (_, text, change) => {
  const recording = await editRecording('codex-0.166.0', onLine(text, change))
  const { loads, ...checked } = await recording.check()
  expect(checked).toEqual({ status: 'corrupted', missing: 0, shown: MESSAGES, found: ['refused-record'] })
  expect(loads.now).toBeLessThan(MESSAGES)
  expect(loads.afterRepair).toBe(MESSAGES)
  expect(await recording.repair()).toBe('repaired')
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
})

const refused: [string, string, ChangeRecord, number][] = [
  ['without content', 'TOOL list', setIn('content'), 15],
  ['with a kind of content that is unknown', 'TOOL list', setIn('content', [{ type: 'novel' }]), 15],
  ['without the name of the tool', '"function_call"', setIn('name'), 14],
]
test.each(refused)('a record %s is not loaded, and nothing is made up', async (_, text, change, now) => {
  const recording = await editRecording('codex-0.166.0', onLine(text, change))
  expect(await recording.check()).toMatchObject({
    status: 'corrupted',
    loads: { now, afterRepair: now },
    found: ['refused-record'],
  })
  const before = recording.bytes()
  expect(await recording.repair()).toBe('refused')
  expect(recording.bytes()).toEqual(before)
})

const headers: [string, ChangeRecord][] = [
  ['without a time', set('timestamp')],
  ['without the name of its program', setIn('originator')],
  ['with a number as its folder', setIn('cwd', 5)],
  ['with a list as its source', setIn('source', [])],
  ['with a way to keep histories that is unknown', setIn('history_mode', 'other')],
]
test.each(headers)('nothing is loaded where the header is one %s; it is made again', async (_, change) => {
  const recording = await editRecording('codex-0.166.0', ([first, ...rest]) => [edited(first, change), ...rest])
  expect(await recording.check()).toMatchObject({ loads: { now: 0, afterRepair: MESSAGES }, found: ['lost-header'] })
  expect(await recording.repair()).toBe('repaired')
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES } })
})

test('the last record of a rollout in pages needs an ordinal', async () => {
  const recording = await editRecording('codex-0.166.0', all => [
    ...all.slice(0, -1),
    edited(all.at(-1), set('ordinal')),
  ])
  expect(await recording.check()).toMatchObject({ loads: { now: 0, afterRepair: MESSAGES }, found: ['refused-record'] })
  expect(await recording.repair()).toBe('repaired')
  expect(recording.bytes().toString().trimEnd().split('\n').at(-1)).toContain('"ordinal":73')
})
