import { describe, expect, test } from 'vitest'
import { applyEdits } from '../edits.ts'
import { isObject } from '../json.ts'
import type { Structure } from './index.ts'
import { planDocument } from './index.ts'
import { documentEdits } from './read.ts'

const STRUCTURE: Structure = {
  lists: ['messages'],
  fields: ['id', 'env'],
  isMessage: value => isObject(value) && 'm' in value && 'text' in value,
  idOf: value => (isObject(value) && typeof value['m'] === 'string' ? value['m'] : undefined),
}

function repaired(text: string): string {
  const bytes = Buffer.from(text)
  const range = (start: number, end: number) => bytes.subarray(start, end)
  return applyEdits(bytes, documentEdits(planDocument({ size: bytes.length, range }, STRUCTURE).faults)).toString()
}

function idsAfterRepair(text: string): string[] {
  const document: { messages?: { m: string }[] } = JSON.parse(repaired(text))
  return (document.messages ?? []).map(({ m }) => m)
}

const message = (m: string, input?: unknown) => ({ m, text: `says ${m}`, ...(input === undefined ? {} : { input }) })
const HEAD = { id: 'the id of a document that has a long one', title: 'x' }
const ENV = { env: { x: { y: 1 } } }
const QUOTED = { ...HEAD, messages: [message('f1'), message('f2')], ...ENV }
const INPUT = { messages: [message('f3'), message('f4'), message('f5')], document: QUOTED, more: [1], text: 'it ends' }
const DOCUMENT = {
  ...HEAD,
  messages: [message('a'), message('b', [INPUT]), message('c'), message('d', [INPUT])],
  ...ENV,
}
const LINE = JSON.stringify(DOCUMENT)
const LINES = JSON.stringify(DOCUMENT, null, 2)

function cutBehind(text: string, part: string): string {
  return text.slice(0, text.indexOf(part) + part.length)
}

describe('a document on one line', () => {
  test.each([
    ['a document in a message', JSON.stringify(QUOTED)],
    ['the last field of a document in a message', JSON.stringify(QUOTED).slice(0, -1)],
    ['a list of messages in a message', JSON.stringify(INPUT).slice(0, -1)],
    ['an object in a message', JSON.stringify(INPUT)],
  ])('that is cut behind %s keeps only the messages before it', (_, part) => {
    expect(idsAfterRepair(cutBehind(LINE, part))).toEqual(['a'])
  })

  test('that is cut behind a message that holds messages keeps this message', () => {
    expect(idsAfterRepair(cutBehind(LINE, JSON.stringify(DOCUMENT.messages[1])))).toEqual(['a', 'b'])
  })

  test.each([
    ['a list of messages', JSON.stringify(INPUT)],
    ['a whole document', JSON.stringify(QUOTED)],
  ])('that begins in a message, with an object that has %s, has none of these messages', (_, part) => {
    expect(idsAfterRepair(LINE.slice(LINE.indexOf(part)))).toEqual(['c', 'd'])
    const bytes = Buffer.from(LINE.slice(LINE.lastIndexOf(part)))
    const range = (start: number, end: number) => bytes.subarray(start, end)
    expect(planDocument({ size: bytes.length, range }, STRUCTURE).hasList).toBe(false)
  })

  test('with the rest of itself behind it keeps each message once', () => {
    for (let at = 0; at < LINE.length; at++)
      expect(idsAfterRepair(LINE + LINE.slice(at)), `from ${at} on`).toEqual(['a', 'b', 'c', 'd'])
  })

  test('behind half of itself keeps each message once, wherever the half ends', () => {
    for (let at = 0; at < LINE.length; at++)
      expect(idsAfterRepair(LINE.slice(0, at) + LINE), `${at} bytes`).toEqual(['a', 'b', 'c', 'd'])
  })

  test('whose list has lost its name keeps the list, even if messages hold such lists', () => {
    expect(idsAfterRepair(LINE.replace('"messages"', '"mesages"'))).toEqual(['a', 'b', 'c', 'd'])
  })

  test('of which a message was closed too early does not take the parts of it for messages', () => {
    const text = JSON.stringify({ ...HEAD, messages: [message('a'), message('b', [{ part: 1 }, { part: 2 }])], ...ENV })
    expect(idsAfterRepair(text.replace('[{"part":1', '[}{"part":1'))).toEqual(['a', 'b'])
  })

  test('with a bracket in place of a quote in its last message keeps its own messages', () => {
    const at = LINE.lastIndexOf('"input"')
    expect(idsAfterRepair(`${LINE.slice(0, at)}]${LINE.slice(at + 1)}`)).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('a document on lines', () => {
  test('with a bracket in place of a value, before known fields in a message, keeps its own messages', () => {
    const document = { v: 1, ...DOCUMENT, messages: [message('a'), message('b', { v: 1, ...QUOTED })] }
    const text = JSON.stringify(document, null, 2)
    const at = text.lastIndexOf('"v": 1') + '"v": '.length
    expect(idsAfterRepair(`${text.slice(0, at)}]${text.slice(at + 1)}`)).toEqual(['a'])
  })

  test('that is cut behind the last field of a document in a message keeps the messages before it', () => {
    const end = LINES.indexOf('}', LINES.indexOf('"y"'))
    for (let at = end; at < end + 40; at++) expect(idsAfterRepair(LINES.slice(0, at)), `cut at ${at}`).toEqual(['a'])
  })

  test('whose list begins with a gap up to its first message keeps this message', () => {
    expect(idsAfterRepair(LINES.replace(/"x",\s*"messages": \[\s*/, ''))).toEqual(['a', 'b', 'c', 'd'])
  })
})
