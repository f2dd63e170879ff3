import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ConversationOptions, putConversation } from '../../../test/support/conversations.ts'
import { inflict, makeHome, readMessages, repairableKinds } from '../../../test/support/damaged.ts'
import { quickHome } from '../../../test/support/faults.ts'
import { put } from '../../../test/support/home.ts'
import { makeContext } from '../../catalog/context.ts'
import { LIVE_MS } from '../../disk/processes/writers.ts'
import { listReceipts } from '../../disk/vault/receipts.ts'
import { damages } from '../../repair/damage/index.ts'
import { undoRepair } from '../../repair/undo.ts'
import { makeAgentFiles } from './index.ts'

function agentFilesWith(options: ConversationOptions) {
  const home = quickHome()
  const conversation = putConversation(home, 1, options)
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  return { home, context, conversation, agentFiles: makeAgentFiles({ context, storeOf: { wrapper: 'claude-code' } }) }
}

test('a healthy session is healthy, and nothing is written', async () => {
  const { agentFiles, conversation, context } = agentFilesWith({})
  expect(await agentFiles.repair('claude', conversation.id)).toEqual({
    status: 'healthy',
    text: 'Claude Code loads 10 messages.',
  })
  expect(listReceipts(context.state).receipts).toEqual([])
})

test('a damaged session is repaired, and its receipt takes that back', async () => {
  const { agentFiles, conversation, context } = agentFilesWith({ brokenAt: 7 })
  const result = await agentFiles.repair('claude', conversation.id)
  if (result.status !== 'repaired') throw new Error(result.text)
  expect(result.text).toBe('Claude Code loads 10 messages now; before the repair it would have loaded 4.')
  expect(listReceipts(context.state).receipts.map(({ receipt }) => receipt.id)).toEqual([result.receipt])
  expect((await agentFiles.repair('claude', conversation.id)).status).toBe('healthy')
  await undoRepair(context, result.receipt, { force: true })
  expect((await agentFiles.repair('claude', conversation.id)).status).toBe('repaired')
})

test('a row of a database that its agent stumbles over is repaired', async () => {
  const kind = (await repairableKinds()).find(
    ({ agent, traits }) => agent === 'opencode' && traits.framing === 'sqlite',
  )
  const damage = damages.find(({ id }) => id === 'unreadable-row')
  if (kind === undefined || damage === undefined) throw new Error('No such kind of session.')
  const made = await makeHome(quickHome(), kind, 1)
  const before = await readMessages(made)
  inflict(made.session, kind, damage, 1)
  const result = await makeAgentFiles({ context: made.context }).repair('opencode', made.session.sessionId)
  expect(result).toMatchObject({ status: 'repaired', receipt: expect.any(String) })
  expect((await readMessages(made)).length).toBe(before.length)
})

test('an unknown agent and an unknown session are `unknown`', async () => {
  const { agentFiles, conversation } = agentFilesWith({})
  expect(await agentFiles.repair('nobody', conversation.id)).toEqual({
    status: 'unknown',
    text: 'The session store of nobody is not known.',
  })
  expect(await agentFiles.repair('claude', 'no-such-session')).toEqual({
    status: 'unknown',
    text: 'Claude Code has no session no-such-session in its store.',
  })
  expect(await agentFiles.repair('toString', conversation.id)).toMatchObject({ status: 'unknown' })
})

test('an agent that is configured under another name is found by whose store it writes to', async () => {
  const { agentFiles, conversation, context } = agentFilesWith({})
  expect(await agentFiles.repair('wrapper', conversation.id)).toMatchObject({ status: 'healthy' })
  expect(() => makeAgentFiles({ context, storeOf: { wrapper: 'nobody' } })).toThrow('Unknown agent "nobody".')
})

test('a session that its agent wrote just before it died is repaired once no process can be writing', async () => {
  const { agentFiles, conversation } = agentFilesWith({ brokenAt: 7, isFresh: true })
  const nearlyQuiet = (Date.now() - LIVE_MS) / 1000 + 0.3
  utimesSync(conversation.file, nearlyQuiet, nearlyQuiet)
  expect(await agentFiles.repair('claude', conversation.id)).toMatchObject({ status: 'repaired' })
})

test('damage that nothing can be done about is a failure that says why', async () => {
  const { agentFiles, home } = agentFilesWith({})
  put(home, '.claude/projects/-work-shop/0a0a0a0a-0000-4000-8000-000000000000.jsonl', '')
  const result = await agentFiles.repair('claude', '0a0a0a0a-0000-4000-8000-000000000000')
  expect(result.status).toBe('failed')
  expect(result.text).toContain('is empty')
})

test('of several files with one id the newest that has a conversation is repaired', async () => {
  const { agentFiles, home, conversation } = agentFilesWith({ brokenAt: 7 })
  const stub = '{"type":"summary","summary":"left by a resume","leafUuid":"00000000-0000-4000-8000-000000000010"}\n'
  put(home, `.claude/projects/-work-other/${conversation.id}.jsonl`, stub)
  expect(await agentFiles.repair('claude', conversation.id)).toMatchObject({
    status: 'repaired',
    text: expect.stringContaining('loads 10 messages now'),
  })
})

test('a check says healthy, damaged or unknown, and changes nothing', async () => {
  const { agentFiles, conversation, context } = agentFilesWith({ brokenAt: 7 })
  expect(await agentFiles.check('claude', conversation.id)).toBe('damaged')
  expect(listReceipts(context.state).receipts).toEqual([])
  await agentFiles.repair('claude', conversation.id)
  expect(await agentFiles.check('claude', conversation.id)).toBe('healthy')
  expect(await agentFiles.check('claude', 'nobody')).toBe('unknown')
  expect(await agentFiles.check('stranger', conversation.id)).toBe('unknown')
})
