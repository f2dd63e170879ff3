// A log only grows, and yet an agent can take back in it what stood there before.
import { appendFileSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeHome, repairableKinds } from '../../../test/support/damaged.ts'
import { quickHome } from '../../../test/support/faults.ts'
import { asFields } from '../envelope.ts'
import { makeAgentFiles } from './index.ts'

async function prepare() {
  const kind = (await repairableKinds()).find(each => each.agent === 'gemini-cli' && each.store === 'json-lines')
  if (kind === undefined) throw new Error('There is no such log.')
  const { context, session } = await makeHome(quickHome(), kind, 1)
  const taken = await makeAgentFiles({ context }).snapshot('gemini', session.sessionId)
  if (taken === undefined) throw new Error('No copy was made.')
  const write = (messages: unknown[]) => appendFileSync(session.filePath, `${JSON.stringify({ $set: { messages } })}\n`)
  return { session, taken, write }
}

function messagesIn(file: string): unknown[] {
  const records = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => asFields(JSON.parse(line)))
  return [...new Map(records.filter(({ id }) => id !== undefined).map(record => [record['id'], record])).values()]
}

test('a list with nothing of the conversation in it: lost, and put back', async () => {
  const { session, taken, write } = await prepare()
  const before = readFileSync(session.filePath)
  write([])
  expect(await taken.compare()).toBe('lost')
  await taken.putBack()
  expect(readFileSync(session.filePath).equals(before)).toBe(true)
})

test('a list with the whole conversation in it: grown', async () => {
  const { session, taken, write } = await prepare()
  write(messagesIn(session.filePath))
  expect(await taken.compare()).toBe('grown')
})
