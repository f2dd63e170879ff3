// A transcript that is read in parts gives what it gives when it is read in one. The suite of all stores that read in
// parts is beside the printing.
import { expect, test } from 'vitest'
import { PROJECT, transcriptPlace } from '../../../../test/support/cursor/store-maker.ts'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { comparePartsOf, readInParts, TOO_SHORT } from '../../../../test/support/parts.ts'
import { findSession } from '../../../../test/support/reading.ts'
import { cursor } from '../index.ts'
import { transcripts } from './index.ts'
import { parts } from './parts.ts'

const ID = '66666666-6666-4666-8666-666666666666'
const say = (role: string, text: string) => ({ role, message: { content: [{ type: 'text', text }] } })
const look = (path: string) => ({
  role: 'assistant',
  message: { content: [{ type: 'tool_use', name: 'Read', input: { path } }] },
})
const filler = Array.from({ length: 20 }, (_, at) => say('assistant', `Step ${at} ${'x'.repeat(100)}`))

async function transcriptOf(content: string) {
  const home = temporaryHome()
  put(home, transcriptPlace(`${ID}/${ID}.jsonl`), content)
  const { project: _, ...session } = await findSession(cursor, environmentOf(home), ID)
  return session
}

test('the first title and the first project count, in whatever part they are', async () => {
  const content = lines(
    ...filler,
    say('user', 'The first prompt'),
    ...filler,
    look(`${PROJECT}/src/cart.ts`),
    { type: 'turn_ended' },
    ...filler,
    say('user', 'The second prompt'),
    look('/elsewhere/cart.ts'),
    { type: 'weather', sky: 'blue' },
  )
  const session = await transcriptOf(content)
  const outcome = await comparePartsOf(transcripts, session, TOO_SHORT)
  expect(outcome?.end).toMatchObject({
    facts: { title: 'The first prompt', project: PROJECT },
    counts: { records: 66, bookkeeping: 1, unknown: 1, skipped: 0 },
  })
})

test('no part is read again: no message depends on another one', async () => {
  const session = await transcriptOf(lines(say('user', 'Hello'), ...filler))
  expect(parts.plan(session, TOO_SHORT)?.parts.length).toBeGreaterThan(5)
  expect(readInParts(parts, session, TOO_SHORT)).toMatchObject({ again: 0, end: { type: 'complete' } })
})

test('parts start at lines, without gaps, and the last one ends with the file', async () => {
  const content = lines(say('user', 'Hello'), ...filler)
  const plan = parts.plan(await transcriptOf(content), TOO_SHORT)
  const bounds = plan?.parts ?? []
  expect(bounds.map(({ start }) => start)).toEqual([0, ...bounds.slice(0, -1).map(({ end }) => end)])
  expect(bounds.at(-1)?.end).toBe(Buffer.byteLength(content))
  for (const { start } of bounds.slice(1)) expect(content[start - 1]).toBe('\n')
})

test('a line that goes on in the next part has the rest read in one', async () => {
  const torn = JSON.stringify(say('assistant', `torn ${'y'.repeat(300)}`))
  const content = `${lines(...filler)}${torn.slice(0, 200)}\n${torn.slice(200)}\n${lines(...filler)}`
  const session = await transcriptOf(content)
  const outcome = await comparePartsOf(transcripts, session, TOO_SHORT)
  expect(outcome).toMatchObject({ end: undefined })
  expect(outcome?.messages.length).toBeGreaterThan(10)
})
