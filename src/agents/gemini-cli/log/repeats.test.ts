// How Gemini CLI 0.61.0 treats headers, lists and messages that are written again. FORMAT.md has the table.
import { expect, test } from 'vitest'
import type { ChangeRecord, EditLines } from '../../../../test/support/edited-recording.ts'
import { edited, editRecording, set } from '../../../../test/support/edited-recording.ts'

const RECORDING = 'gemini-cli-0.61.0'
const MESSAGES = 14
const half = (all: string[]): number => all.length >> 1
const insert = (all: string[], at: number, ...more: string[]): string[] => [
  ...all.slice(0, at),
  ...more,
  ...all.slice(at),
]
const change = (fields: object): string => JSON.stringify({ $set: fields })
const isAnswer = (line: string): boolean => line.includes('"type":"gemini"')
const isList = (line: string): boolean => line.startsWith('{"$set":{"messages"')
const place = (all: string[], is: (line: string) => boolean): number => all.findIndex(is)

/**
 * The recording as one run: without the lists that each resume writes, which replace everything before them.
 */
const oneSitting: EditLines = ([header = '', context = '', ...rest]) => [
  header,
  context,
  ...rest.filter(line => !line.startsWith('{"sessionId"') && !isList(line)),
]
const edit =
  (change: EditLines): EditLines =>
  all =>
    change(oneSitting(all))

test('the recording has the messages that these tests count', async () => {
  const recording = await editRecording(RECORDING, oneSitting)
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
})

const harmless: [string, EditLines][] = [
  ['a header in the middle', all => insert(all, half(all), all[0] ?? '')],
  ['a header with an empty list of messages', all => insert(all, half(all), edited(all[0], set('messages', [])))],
  ['a list that is none', all => [...all, change({ messages: {} })]],
  [
    'a message whose time is no time',
    all => all.map((line, at) => (at === place(all, isAnswer) ? edited(line, set('timestamp', 'x')) : line)),
  ],
  ['one message written twice', all => insert(all, place(all, isAnswer) + 1, all[place(all, isAnswer)] ?? '')],
]
test.each(harmless)('%s changes nothing', async (_, change) => {
  const recording = await editRecording(RECORDING, edit(change))
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
})

const damaged: [string, EditLines, number, string][] = [
  ['the whole log written again', all => [...all, ...all], MESSAGES, 'repeated-records'],
  ['its first half written again', all => [...all, ...all.slice(0, half(all))], 7, 'repeated-records'],
  ['its second half written again', all => [...all, ...all.slice(half(all))], MESSAGES, 'repeated-records'],
  ['its first list written again', all => [...all, all[1] ?? ''], 0, 'repeated-records'],
  [
    'an answer written again as it was before its calls came',
    all => [...all, all[place(all, line => isAnswer(line) && line.includes('"content":""'))] ?? ''],
    13,
    'repeated-records',
  ],
  ['a list that leaves nothing at the end', all => [...all, change({ messages: [] })], 0, 'emptied-history'],
  [
    'a list that leaves nothing in the middle',
    all => insert(all, half(all), change({ messages: [] })),
    7,
    'emptied-history',
  ],
  ['an empty name of the session', all => [...all, change({ sessionId: '' })], 0, 'lost-header'],
  ['no project any more', all => [...all, change({ projectHash: null })], 0, 'lost-header'],
  ['a session that calls itself one of a sub-agent', all => [...all, change({ kind: 'subagent' })], 0, 'lost-header'],
  [
    'an answer with a number as its content',
    all => all.map((line, at) => (at === all.findLastIndex(isAnswer) ? edited(line, set('content', 5)) : line)),
    0,
    'refused-record',
  ],
  [
    'an answer with an empty place among its thoughts',
    all => all.map((line, at) => (at === all.findLastIndex(isAnswer) ? edited(line, set('thoughts', [null])) : line)),
    0,
    'refused-record',
  ],
]
test.each(damaged)('%s is found and repaired, and everything is shown meanwhile', async (_, change, now, damage) => {
  const recording = await editRecording(RECORDING, edit(change))
  expect(await recording.check()).toMatchObject({
    status: 'corrupted',
    loads: { now, afterRepair: MESSAGES },
    shown: MESSAGES,
    found: [damage],
  })
  expect(await recording.repair()).toBe('repaired')
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
})

const onPrompt = (change: ChangeRecord): EditLines =>
  edit(all => all.map(line => (line.includes('TOOL list') ? edited(line, change) : line)))

test.each([
  ['without an id', undefined],
  ['with a number as its id', 7],
])('a message %s is given one', async (_, id) => {
  const recording = await editRecording(RECORDING, onPrompt(set('id', id)))
  expect(await recording.check()).toMatchObject({
    loads: { now: MESSAGES - 1, afterRepair: MESSAGES },
    shown: MESSAGES,
    found: ['refused-record'],
  })
  expect(await recording.repair()).toBe('repaired')
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: MESSAGES }, shown: MESSAGES })
})

test('an answer of before the last list is given an id, and its result still counts as a message of that list', async () => {
  const recording = await editRecording(RECORDING, all => {
    const called = place(all, line => isAnswer(line) && line.includes('"toolCalls"') && !isList(line))
    return all.map((line, at) => (at === called ? edited(line, set('id', undefined)) : line))
  })
  const loads = MESSAGES + 1
  expect(await recording.check()).toMatchObject({
    loads: { now: loads, afterRepair: loads },
    found: ['refused-record'],
  })
  expect(await recording.repair()).toBe('repaired')
  expect(await recording.check()).toMatchObject({ status: 'healthy', loads: { now: loads }, shown: loads })
})

const notSent: [string, unknown][] = [
  ['a command', [{ text: '/help me' }]],
  ['a question to the agent itself', [{ text: '?what' }]],
  ['no words', [{ text: '' }]],
]
test.each(notSent)('a message that is %s is shown, and not loaded', async (_, content) => {
  const recording = await editRecording(RECORDING, onPrompt(set('content', content)))
  expect(await recording.check()).toMatchObject({
    loads: { now: MESSAGES - 1, afterRepair: MESSAGES - 1 },
    shown: MESSAGES,
  })
})
