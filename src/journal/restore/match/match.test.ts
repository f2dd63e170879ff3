// Whether an agent that loaded a session has the conversation of the journal.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/home.ts'
import {
  answered,
  chunk,
  failed,
  prompt,
  SETTLED,
  tool,
  userChunk,
} from '../../../../test/support/journal/conversation-samples.ts'
import { sampleSession } from '../../../../test/support/journal/samples.ts'
import { asFields } from '../../envelope.ts'
import { openJournal } from '../../store/open.ts'
import type { Envelope } from '../../store/store.ts'
import { buildReplay } from '../replay/build-replay.ts'
import { ComparableText } from './comparable-text.ts'
import { describeLoss, LoadMatcher } from './match.ts'

const LONG = 'Please repair the door of the shop, and then the window'

test('an agent that has every prompt has all, whatever it did to white space and put around them', async () => {
  const journal = [prompt(1, 'Hi'), chunk('Yes'), answered(1), prompt(2, LONG), answered(2)]
  const notified = [
    userChunk('Hi\n'),
    chunk('Yes'),
    userChunk('<mode>plan</mode>\n'),
    userChunk(LONG.replace(/ /g, '  ')),
  ]
  expect(await match(journal, notified)).toEqual({
    userMessages: 2,
    matched: 2,
    replayedMessages: 3,
    hasReplay: false,
    missing: [],
    lostAnswer: false,
    verdict: 'all',
  })
})

test('a short prompt has to be the same, and each of the agent stands for one', async () => {
  const journal = [1, 2, 3].flatMap(id => [prompt(id, 'go on'), answered(id)])
  const found = await match(journal, [userChunk('go on', 'a'), userChunk('go on with it', 'b')])
  expect(found).toMatchObject({ userMessages: 3, matched: 1, missing: ['go on', 'go on'], verdict: 'some' })
  expect(describeLoss(found)).toBe('The agent no longer has 2 of 3 messages, among them "go on".')
})

test('an agent that loaded nothing of it has none; prompts that were never answered do not count', async () => {
  expect(await match([prompt(1, LONG), answered(1)], [chunk('Hello')])).toMatchObject({ verdict: 'none', matched: 0 })
  const unanswered = [prompt(1, LONG), failed(1, { code: 1 }), prompt(2, 'Go'), SETTLED]
  expect(await match(unanswered, [])).toMatchObject({ verdict: 'nothing-to-match', userMessages: 0 })
})

test('the answer that was cut off is lost unless the agent repeats its end', async () => {
  const journal = [prompt(1, 'Go'), chunk('Once upon '), chunk('a time there was'), tool('t1'), SETTLED]
  const lost = await match(journal, [userChunk('Go')])
  expect(lost.lostAnswer).toBe(true)
  expect(describeLoss(lost)).toBe('The agent does not have the answer that was cut off.')
  expect((await match(journal, [chunk('Once upon a time there was a door')])).lostAnswer).toBe(false)
  const ended = [...journal, prompt(2, 'Again'), chunk('Yes'), answered(2)]
  expect((await match(ended, [userChunk('Again')])).lostAnswer).toBe(false)
})

test('what the agent has only in a replay it has, and a message of nothing else is not counted', async () => {
  const journal = [prompt(1, LONG), chunk('Yes'), answered(1), prompt(2, 'w'.repeat(9000)), answered(2)]
  const text = (await withJournal(journal, async store => await buildReplay(store, 's', { upTo: 5 })))?.text ?? ''
  const later = [...journal, prompt(3, 'And now?'), answered(3)]
  const found = await match(later, [userChunk(text, 'a'), userChunk('And now?', 'b')])
  expect(found).toMatchObject({ hasReplay: true, verdict: 'all', matched: 3, replayedMessages: 1 })
  const inOne = await match(later, [userChunk(`${text}And now?`)])
  expect(inOne).toMatchObject({ hasReplay: true, verdict: 'all', replayedMessages: 1 })
})

test('a very long prompt is recognised by its ends, also behind a long preface', async () => {
  const long = `first ${'middle '.repeat(10_000)}last`
  expect(await match([prompt(1, long), answered(1)], [userChunk(long)])).toMatchObject({ verdict: 'all' })
  const behind = [userChunk('p'.repeat(30_000)), userChunk(` ${LONG}`)]
  expect(await match([prompt(1, LONG), answered(1)], behind)).toMatchObject({ verdict: 'all' })
})

test('a text that comes in pieces is the same text, wherever it was cut', () => {
  for (let at = 0; at <= LONG.length; at++) {
    const inPieces = ComparableText.of(LONG.slice(0, at))
    inPieces.add(LONG.slice(at))
    expect(inPieces.text).toBe(LONG)
  }
})

test('only the last 200 prompts are compared, and the newest missing ones are named', async () => {
  const journal = Array.from({ length: 250 }, (_, n) => [prompt(n, `Question number ${n}`), answered(n)]).flat()
  const found = await match(journal, [userChunk('Question number 60', 'a')])
  expect(found).toMatchObject({ userMessages: 200, matched: 1, verdict: 'some' })
  expect(found.missing[0]).toBe('Question number 249')
  expect(found.missing).toHaveLength(10)
})

test('a message that is not an update is ignored', async () => {
  const matcher = new LoadMatcher()
  for (const params of [null, 7, {}, { update: [] }, { update: { sessionUpdate: 'user_message_chunk' } }])
    matcher.add(params)
  const found = await withJournal([], async store => await matcher.compare(store, 's'))
  expect(found).toMatchObject({ replayedMessages: 0, verdict: 'nothing-to-match' })
})

async function match(journal: readonly Envelope[], notified: readonly Envelope[]) {
  const matcher = new LoadMatcher()
  for (const { payload } of notified) matcher.add(asFields(JSON.parse(payload.toString()))['params'])
  return await withJournal(journal, async store => await matcher.compare(store, 's'))
}

async function withJournal<T>(
  envelopes: readonly Envelope[],
  work: (store: Awaited<ReturnType<typeof openJournal>>) => Promise<T>,
): Promise<T> {
  const store = await openJournal(join(temporaryHome(), 'journal.sqlite'))
  onTestFinished(async () => await store.close())
  await store.createSession(sampleSession('s'))
  await store.append('s', envelopes)
  return await work(store)
}
