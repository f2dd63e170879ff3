// Every figure in here was measured: the real agent resumed the session, and the messages it sent before the
// new prompt were counted.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { linkedLog, linkedSubject, loadedIds, uuid } from '../../../../test/support/linked-log.ts'
import { readFrom } from '../../../../test/support/reading.ts'
import { isConversation } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import { claudeCode } from '../index.ts'
import { load } from './index.ts'

const OLD = '2.0.14'
const MIDDLE = '2.1.25'
const NEW = '2.1.325'

const sent = (text: string, version: string): number => load(linkedSubject(text, version)).sent ?? 0
const lastPrompt = (id: string | null, more = {}): string =>
  `${JSON.stringify({ type: 'last-prompt', leafUuid: id === null ? null : uuid(id), sessionId: 's', ...more })}\n`

type Measured = [what: string, words: string, old: number, middle: number, recent: number]

function measured(gap: number, cases: readonly Measured[]): void {
  test.each(cases)('%s', (_, words, old, middle, recent) => {
    const text = linkedLog(words, { gap })
    expect([OLD, MIDDLE, NEW].map(version => sent(text, version))).toEqual([old, middle, recent])
  })
}

describe('where a resume begins', () => {
  measured(1, [
    ['at the last answer', 'u1 a1 u2 a2 u3 a3', 6, 6, 6],
    ['at what a sub-agent said last, in old versions', 'u1 a1 u2 a2 u3 a3 ~u9<- ~a9', 2, 6, 6],
    ['at the last prompt, where its answer is taken for that of a sub-agent', 'u1 a1 u2 a2 u3 ~a3<u3', 6, 6, 6],
    ['before what is taken for that of a sub-agent', 'u1 a1 u2 a2 ~u3<a2 ~a3', 6, 4, 4],
    ['at a note behind it', 'u1 a1 u2 a2 u3 a3 s4', 6, 6, 6],
    ['at a queued prompt behind it', 'u1 a1 u2 a2 u3 a3 x4', 6, 6, 6],
    ['after going back', 'u1 a1 u2 a2 u3 a3 u4<a1 a4', 4, 4, 4],
    ['by the clock or by the file', 'u1 a1 u2 a2 u3 a3 u4<a1@-20 a4@-10', 6, 6, 4],
    ['at a late note on an early record', 'u1 a1 u2 a2 u3 a3 s4<u1', 0, 0, 2],
    ['at a late attachment to an early record', 'u1 a1 u2 a2 u3 a3 x4<u1', 0, 0, 2],
    ['at late progress on an early record', 'u1 a1 u2 a2 u3 a3 p4<u1', 6, 0, 6],
    ['at the second of two roots', 'u1 a1 u2 a2 u3 a3 u4<- a4', 2, 2, 2],
    ['where parents stand later in the file', 'u1@0 a1@1 u3<a2@4 a3@5 u2<a1@2 a2@3', 6, 6, 6],
    ['where parents are later by the clock', 'u1 a1 u3<a2 a3 u2<a1 a2', 4, 4, 4],
    ['where a middle record is the newest', 'u1 a1<?@50 u2 a2 u3 a3', 1, 1, 5],
    ['at a record that was written again', 'u1 a1 u2 a2 u3 a3 u2<a1', 4, 4, 4],
  ])
})

describe('how a resume goes back', () => {
  measured(1, [
    ['past a parent that is nowhere, if close in time', 'u1 a1 u2 a2 u3<? a3', 2, 2, 6],
    ['not past ten seconds', 'u1 a1 u2 a2@3 u3<?@20 a3@21', 2, 2, 2],
    ['to a root that names a parent', 'u1<? a1 u2 a2 u3 a3', 6, 6, 6],
    ['around a record that is its own parent', 'u1 a1 u2<u2 a2 u3 a3', 0, 0, 6],
    ['around a circle to the root', 'u1<a2 a1 u2 a2 u3 a3', 0, 0, 6],
    ['around a circle in the middle', 'u1 a1 u2<u3 a2 u3 a3', 0, 0, 6],
    ['around a circle that a repeated record makes', 'u1 a1 u2 a2 u3 a3 a1<u2 u5<a3 a5', 0, 0, 7],
    ['through progress', 'u1 a1 u2 a2 p1 p2 u3 a3', 2, 6, 6],
    ['beside progress', 'u1 a1 u2 a2 p1 p2 u3<a2 a3', 6, 6, 6],
    ['through what a sub-agent said', 'u1 a1 u2 a2 ~u8<a2 ~a8 u3<a8 a3', 8, 8, 8],
    ['through a note', 'u1 a1 u2 a2 s1 u3 a3', 6, 6, 6],
    ['to a compaction', 'u1 a1 u2 a2 u3 a3 b1 u4 u5 a5', 2, 2, 2],
    ['to a compaction that names a parent', 'u1 a1 u2 a2 u3 a3 b1<a3 u4 u5 a5', 2, 2, 2],
    ['to a gap behind a compaction', 'u1 a1 u2 a2 u3 a3 b1 u4 u5<? a5', 2, 2, 2],
  ])
})

describe('what a resume sends', () => {
  measured(1, [
    ['several calls at once', 'u1 c1#M c2#M r1<c1 r2<c2 a2 u3 a3', 6, 6, 6],
    ['a line beside the way', 'u1 a1#M c1<u1#M r1 a2 u3 a3', 6, 6, 6],
    ['lines with results between them', 'u1 c1#M r1 c2#M r2 a3', 6, 4, 4],
    ['two answers in a row', 'u1 a1 u2 a2 u3 a3 a4 u5 a5', 9, 9, 9],
    ['one message with a prompt between its lines', 'u1 a1#M u2 a2#M u3 a3', 6, 6, 6],
    ['two prompts in a row', 'u1 a1 u2 a2 u3 a3 u4 u5 a5', 8, 8, 8],
    ['a prompt that the agent put in', 'u1 a1 u2 a2 u3 a3 m4 u5 a5', 8, 8, 8],
    ['a queued prompt before another', 'u1 a1 x1 u2 a2 u3 a3', 6, 6, 6],
    ['a queued prompt between two answers', 'u1 a1 x1 a2 u3 a3', 5, 6, 6],
    ['a queued prompt at the beginning', 'x1 a1 u2 a2', 3, 4, 4],
    ['a queued prompt between lines of one', 'u1 a1#M x1 a2#M u3 a3', 4, 6, 4],
    ['a note between lines of one', 'u1 a1#M s1 a2#M u3 a3', 4, 4, 4],
    ['a call without a result', 'u1 c1 u2 a2', 2, 2, 2],
    ['a call without a result before an answer', 'u1 c1 a2 u3 a3', 4, 4, 4],
    ['a result without its call', 'u1 a1 r9 a2 u3 a3', 6, 5, 6],
    ['a result without its call at the beginning', 'r9<- a1 u2 a2', 4, 4, 4],
    ['a result without a call', 'u1 a1#M r1=c9 a2 u3 a3', 6, 5, 6],
    ['thinking alone', 'u1 k1 u2 a2', 4, 2, 2],
    ['nothing but a prompt', 'u1', 2, 2, 2],
    ['an unanswered prompt', 'u1 a1 u2 a2 u3 a3 u4', 8, 8, 8],
    ['an unanswered prompt of the agent', 'u1 a1 u2 a2 u3 a3 m4', 8, 8, 8],
    ['an unanswered prompt with a note', 'u1 a1 u2 a2 u3 a3 u4 s4', 6, 6, 8],
    ['an unanswered prompt with another', 'u1 a1 u2 a2 u3 a3 u4 x4', 6, 6, 8],
    ['an unanswered prompt with progress', 'u1 a1 u2 a2 u3 a3 u4 p4', 8, 6, 8],
    ['a prompt answered by thinking', 'u1 a1 u2 a2 u3 a3 u4 k4', 8, 8, 8],
    ['a call at the end', 'u1 a1 u2 a2 u3 a3 u4 c4', 8, 8, 10],
  ])
})

describe('how far the newest version continues past a gap', () => {
  test.each([
    ['five seconds', 'u1 a1 u2 a2@100 u3<?@105 a3@165', 6],
    ['no more than five seconds', 'u1 a1 u2 a2@100 u3<?@105.001 a3@165', 2],
    ['to the nearest in time, though on a dead branch', 'u1 a1 u2 a2@100 u9<a1@101 u3<?@103 a3@200', 4],
    ['to a note', 'u1 a1 u2 a2@100 s9<u1@101 u3<?@103 a3@200', 2],
    ['not to progress', 'u1 a1 u2 a2@100 p9<u1@101 u3<?@103 a3@200', 6],
    ['not to another lane', 'u1 a1 u2 a2@100 ~u9@101 u3<?@103 a3@200', 6],
    ['to one that stands later in the file', 'u1 a1 u2 u3<?@103 a2<u2@100 a3<u3@200', 6],
    ['not to one that is later by the clock', 'u1 a1 u2 a2@104 u3<?@103 a3@200', 2],
    ['to one of the same time', 'u1 a1 u2 a2@103 u3<?@103 a3@200', 6],
    ['to the compaction', 'u1 a1 u2 a2 u3 a3 b1@360 u4<?@361 u5 a5', 2],
    ['not out of a circle', 'u1 a1 u2<u3 a2 u3 a3', 4],
    ['with the other lines of the message', 'u1 a1#M c1<?#M r1 a2', 3],
    ['without the call of a result', 'u1 c1#M r1<?=c1 a2 u3 a3', 4],
    ['not past a note that leads nowhere', 'u1 a1 u2 a2 u3 a3 s4<?', 6],
  ])('%s', (_, words, messages) => expect(sent(linkedLog(words, { gap: 60 }), NEW)).toBe(messages))

  test('reads progress only before the record that continues from it', () => {
    const text = linkedLog('u1 a1 u2 a2 u3<p9 a3 p9<a2@200')
    expect([OLD, MIDDLE, NEW].map(version => sent(text, version))).toEqual([2, 6, 2])
  })
})

describe('where the agent wrote down the end of the conversation', () => {
  const main = linkedLog('u1 a1 u2 a2 u3 a3')
  const both = linkedLog('u1 a1 u2 a2 u3 a3 u4<a1 a4')
  const [before, after] = [both.split('\n').slice(0, 6).join('\n'), both.split('\n').slice(6).join('\n')]
  const cut = linkedLog('u1 a1 u2 a2 u3<? a3', { gap: 1 }).split('\n')

  test.each([
    ['it is where a resume begins', `${before}\n${lastPrompt('a3')}${after}`, 6],
    ['another branch can be it', `${both}${lastPrompt('a3')}`, 6],
    ['the file can go on from there', `${main}${lastPrompt('a2')}`, 6],
    ['it is no matter where the file ends', `${main}${lastPrompt('a2')}${linkedLog('s9<u1')}`, 4],
    ['it holds where the person chose it', `${main}${lastPrompt('a2', { explicit: true })}`, 4],
    ['it can be before the beginning', `${main}${lastPrompt('a2')}${lastPrompt(null, { explicit: true })}`, 0],
    ['saying nothing says nothing', `${main}${lastPrompt('a2')}${lastPrompt(null)}`, 6],
    ['it can be unknown', `${main}${lastPrompt('gone')}`, 6],
    [
      'a gap behind it hides what follows',
      `${cut.slice(0, 4).join('\n')}\n${lastPrompt('a2')}${cut.slice(4).join('\n')}`,
      4,
    ],
    ['on another lane it is not found', `${linkedLog('u1 a1 ~u9 ~a9')}${lastPrompt('a9')}`, 0],
  ])('%s', (_, text, messages) => expect(sent(text, NEW)).toBe(messages))

  test('a later compaction makes it void', () => {
    const [end, ...rest] = linkedLog('a3<- b1 u4 a5').split('\n')
    expect(sent(`${end}\n${lastPrompt('a3')}${rest.join('\n')}`, NEW)).toBe(2)
  })
})

describe('the version', () => {
  const gap = 'u1 a1 u2 a2 u3<? a3'
  test('is the installed one', () => expect(sent(linkedLog(gap, { gap: 1, version: OLD }), NEW)).toBe(6))
  test('else the one that wrote last', () => {
    expect(load(linkedSubject(linkedLog(gap, { gap: 1, version: NEW }))).messages).toBe(6)
    expect(load(linkedSubject(linkedLog(gap, { gap: 1, version: OLD }))).messages).toBe(2)
  })
  test('is the strictest where none is known', () => {
    const text = linkedLog('u1 a1 p1 u2 a2', { gap: 1 }).replaceAll('"version":"2.1.25",', '')
    expect(load(linkedSubject(text)).messages).toBe(2)
  })
})

test('the chain holds the loaded records in the order in which they are sent, and the depth counts from the end to the break', () => {
  const subject = linkedSubject(linkedLog('u1 a1 u2<? c2#M c3#M r2<c2 r3<c3 a4'), NEW)
  expect(loadedIds(subject)).toBe('u2 c2 r2 c3 r3 a4')
  expect(load(subject).depth).toBe(5)
})

test('a healthy session is loaded with as many messages as the reader gives', async () => {
  const file = join(import.meta.dirname, '../../../../test/fixtures/sessions/healthy.jsonl')
  const subject = linkedSubject(readFileSync(file))
  const session = { ...subject.session, filePath: file, storeRoot: dirname(file) }
  const { messages } = await collect(readFrom(claudeCode, session))
  expect(load(subject).messages).toBe(messages.filter(isConversation).length)
})

test('a circle of many records ends, and a hanging agent sends nothing', () => {
  const words = Array.from({ length: 2000 }, (_, place) => `u${place}`)
  words[0] = 'u0<u1999'
  expect(load(linkedSubject(linkedLog(words.join(' ')), OLD))).toEqual({ messages: 0, sent: 0, chain: [], depth: 2000 })
  expect(load(linkedSubject(linkedLog(words.join(' ')), NEW)).depth).toBe(2000)
})

test('of a line with two records newer versions read the first', () => {
  const [u1, a1, u2, a2] = linkedLog('u1 a1 u2 a2', { gap: 1 }).split('\n')
  const glued = `${u1}\n${a1}${u2}\n${a2}\n`
  expect([OLD, NEW].map(version => sent(glued, version))).toEqual([1, 3])
})

test('a record with a raw newline in it is read by none', () => {
  const [u1, a1, u2, a2] = linkedLog('u1 a1 u2 a2', { gap: 60 }).split('\n')
  const broken = u2?.replace(/("content":"[^"]*)"/, '$1\n"') ?? ''
  expect(broken).toContain('\n')
  expect([OLD, NEW].map(version => sent([u1, a1, broken, a2, ''].join('\n'), version))).toEqual([1, 1])
})
