import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, lines, put, temporaryHome } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { discoverSessions, readFrom } from '../../../../test/support/reading.ts'
import { isConversation } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import { kiro } from '../index.ts'
import { withoutLog } from './index.ts'
import { repair } from './repair.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name))
const counts = async (name: string, log: string | Buffer) => {
  const home = temporaryHome()
  put(home, name, log)
  const [session] = await discoverSessions(kiro, environmentOf(home))
  if (session === undefined) throw new Error(`${name} was not found`)
  const { messages } = await collect(readFrom(kiro, session))
  return { read: messages.filter(isConversation).length, loaded: repair.load(viewOf(session, repair)).messages }
}

test.each([
  ['.kiro/sessions/cli/11111111-1111-4111-8111-111111111111.jsonl', 'cli-complete.jsonl'],
  ['.kiro/sessions/abcd/sess_1/messages.jsonl', 'v3-messages.jsonl'],
])('%s: what is loaded of a healthy session is what a person sees', async (name, fixtureName) => {
  const { read, loaded } = await counts(name, fixture(fixtureName))
  expect(loaded).toBe(read)
  expect(loaded).toBeGreaterThan(0)
})

test('a record that holds a prompt and results counts as both', async () => {
  const text = { kind: 'text', data: 'and now?' }
  const result = { kind: 'toolResult', data: { toolUseId: 't1', content: [{ kind: 'text', data: 'done' }] } }
  const log = lines({ version: 'v1', kind: 'Prompt', data: { content: [result, text] } })
  expect(await counts('.kiro/sessions/cli/a.jsonl', log)).toEqual({ read: 2, loaded: 2 })
})

test('metadata of a session whose log is gone is never taken for a log', async () => {
  const home = temporaryHome()
  put(home, '.kiro/sessions/cli/a.json', JSON.stringify({ session_id: 'a', title: 'Gone' }, null, 2))
  const [session] = await discoverSessions(kiro, environmentOf(home))
  expect(session).toMatchObject({ sessionId: 'a', title: 'Gone' })
  expect(session?.generation).toBe(withoutLog.name)
  expect(withoutLog.repair).toBeUndefined()
})
