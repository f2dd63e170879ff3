import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentOf, put, temporaryHome } from '../../../../test/support/home.ts'
import { viewOf } from '../../../../test/support/log-view.ts'
import { discoverSessions, readFrom } from '../../../../test/support/reading.ts'
import { isConversation } from '../../../model/message.ts'
import { collect } from '../../../model/reading.ts'
import { cursor } from '../index.ts'
import { repair } from './repair.ts'

const TRANSCRIPT = readFileSync(join(import.meta.dirname, '../fixtures', 'transcript-complete.jsonl'))

test('every message that a person sees in a transcript counts, and only those on lines of their own', async () => {
  const home = temporaryHome()
  put(home, '.cursor/projects/home-dev-shop/agent-transcripts/one/one.jsonl', TRANSCRIPT)
  const [session] = await discoverSessions(cursor, environmentOf(home))
  if (session === undefined) throw new Error('the transcript was not found')
  const { messages } = await collect(readFrom(cursor, session))
  const read = messages.filter(isConversation).length
  expect(repair.load(viewOf(session, repair)).messages).toBe(read)
  const glued = Buffer.from(TRANSCRIPT.toString().replace('\n', ''))
  expect(repair.load(viewOf(session, repair, glued)).messages).toBe(read - 2)
})
