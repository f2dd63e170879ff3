import { expect, test } from 'vitest'
import { OUTPUT_PIECE_CHARS } from '../limits.ts'
import { TerminalOutput } from './output.ts'

function makeOutput(): { output: TerminalOutput; sent: string[] } {
  const sent: string[] = []
  const pty = { pid: process.pid, pause: () => {}, resume: () => {} }
  const target = { send: (text: string) => void sent.push(text), isCongested: () => false }
  return { output: new TerminalOutput(pty, target, 1000), sent }
}

test('what comes together is sent together', async () => {
  const { output, sent } = makeOutput()
  for (let at = 0; at < 1000; at++) output.add(`${at} `)
  expect(sent).toEqual([])
  await expect.poll(() => sent.length).toBe(1)
  expect(sent[0]?.startsWith('0 1 2 ')).toBe(true)
  expect(sent[0]?.endsWith('998 999 ')).toBe(true)
})

test('a large piece is not waited with, and is sent once', async () => {
  const { output, sent } = makeOutput()
  output.add('a')
  output.add('b'.repeat(OUTPUT_PIECE_CHARS))
  expect(sent.map(text => text.length)).toEqual([OUTPUT_PIECE_CHARS + 1])
  output.flush()
  expect(sent.length).toBe(1)
})

test('a client that asks for the screen gets what was not sent yet, and it is sent to the others', () => {
  const { output, sent } = makeOutput()
  output.add('hello')
  expect(output.screen()).toEqual({ screen: 'hello', isCut: false })
  expect(sent).toEqual(['hello'])
})
