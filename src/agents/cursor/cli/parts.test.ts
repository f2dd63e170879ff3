// A chat that is read in parts gives what it gives when it is read in one. The suite of all stores that read in parts is
// beside the printing.
import { expect, test } from 'vitest'
import type { ChatPlan, MadeChat } from '../../../../test/support/cursor/store-maker.ts'
import { alter, CHAT, PROJECT, putChat } from '../../../../test/support/cursor/store-maker.ts'
import { environmentOf, temporaryHome } from '../../../../test/support/home.ts'
import { comparePartsOf, planParts, readInParts, TOO_SHORT } from '../../../../test/support/parts.ts'
import { findSession } from '../../../../test/support/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { cursor } from '../index.ts'
import { cli } from './index.ts'
import { parts } from './parts.ts'

const ID = '33333333-3333-4333-8333-333333333333'
const PROMPT = (text: string) => ({ role: 'user', content: [{ type: 'text', text: `${text} ${'x'.repeat(100)}` }] })
const LONG = Array.from({ length: 60 }, (_, at) => PROMPT(`prompt ${at}`))

async function open(plan: Partial<ChatPlan>, damage: (made: MadeChat) => void = () => {}): Promise<SessionRef> {
  const home = temporaryHome()
  damage(putChat(home, { id: ID, ...plan }))
  return await findSession(cursor, environmentOf(home), ID)
}

test('holes and altered blobs are found in their parts, after what is wrong with the whole', async () => {
  const session = await open({ messages: LONG, sidecar: null }, ({ file, ids }) => {
    alter(file, 'DELETE FROM blobs WHERE id = ?', String(ids[10]))
    alter(file, 'UPDATE blobs SET data = ? WHERE id = ?', Buffer.from('{"role":"user","content":"x"}'), String(ids[30]))
    alter(file, 'UPDATE blobs SET data = NULL WHERE id = ?', String(ids[48]))
  })
  expect(planParts(parts, session, TOO_SHORT)?.parts.length).toBeGreaterThan(10)
  const outcome = await comparePartsOf(cli, session, TOO_SHORT)
  expect(outcome).toMatchObject({
    again: 0,
    end: {
      facts: { title: expect.stringContaining('prompt 0') },
      counts: { records: 58, skipped: 2 },
      findings: ['lost-sidecar', 'missing-blob', 'altered-blob', 'altered-blob'].map(damage => ({ damage })),
    },
  })
})

test.each([
  { from: 'the root, which only the first part knows', plan: { messages: LONG } },
  { from: 'a message of a later part', plan: { messages: [...LONG, ...CHAT], root: [] } },
])('the project is known from $from', async ({ plan }) => {
  const outcome = await comparePartsOf(cli, await open({ ...plan, sidecar: null }), TOO_SHORT)
  expect(outcome).toMatchObject({ again: 0, end: { facts: { project: PROJECT } } })
})

test('the same words in two parts are two messages', async () => {
  const outcome = await comparePartsOf(cli, await open({ messages: [...LONG, ...LONG] }), TOO_SHORT)
  expect(outcome).toMatchObject({ again: 0, end: { counts: { records: 120 } } })
})

test.each<{ name: string; plan?: Partial<ChatPlan>; damage?: (made: MadeChat) => void }>([
  { name: 'without messages', plan: { messages: [] } },
  {
    name: 'whose root is lost',
    damage: ({ file, root }) => alter(file, 'DELETE FROM blobs WHERE id = ?', root),
  },
  { name: 'without facts', plan: { facts: null } },
])('a chat $name is read in one', async ({ plan, damage }) => {
  expect(readInParts(parts, await open({ messages: LONG, ...plan }, damage), TOO_SHORT)).toBeUndefined()
})
