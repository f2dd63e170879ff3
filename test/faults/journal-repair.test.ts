// With the real care for the agents' stores: a session of a known format is damaged, or destroyed by its own agent, and the conversation comes back.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeContext } from '../../src/catalog/context.ts'
import { listReceipts } from '../../src/disk/vault/receipts.ts'
import { makeAgentFiles } from '../../src/journal/agent-files/index.ts'
import { AGENT, type ConversationOptions, makeOld, putConversation } from '../support/conversations.ts'
import { quickHome } from '../support/faults.ts'
import { notesIn, promptsHeard, saidIn } from '../support/journal.ts'
import { begin, openConversations, reopen, say } from '../support/talk.ts'

function knownStore() {
  const home = quickHome()
  const context = makeContext({ home, state: join(home, 'state-of-rethread'), logLevel: 'silent' })
  return { home, context, agentFiles: makeAgentFiles({ context, storeOf: { mock: AGENT } }) }
}

/** A file of the known format under the id that the agent gave the session. */
function putStored(home: string, agentSessionId: string, options: ConversationOptions): string {
  const conversation = putConversation(home, 1, options)
  const file = join(dirname(conversation.file), `${agentSessionId}.jsonl`)
  const text = readFileSync(conversation.file, 'utf8').replaceAll(conversation.id, agentSessionId)
  renameSync(conversation.file, file)
  writeFileSync(file, text)
  makeOld({ ...conversation, file })
  return file
}

test('a session that is damaged in the agent’s own store is repaired with a receipt, and then loaded', async () => {
  const { home, context, agentFiles } = knownStore()
  const first = await openConversations({ agentFiles })
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const { agentSessionId } = await first.conversations.get(id)
  putStored(home, agentSessionId, { brokenAt: 7 })
  expect(await agentFiles.check('mock', agentSessionId)).toBe('damaged')
  const talk = await reopen(first, { agentFiles })
  expect(await talk.conversations.prompt(id, say('history'))).toMatchObject({ restored: 'repair' })
  expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: history=3 replays=0')
  const [note] = await notesIn(talk.store, id, '_rethread/restored')
  expect(note?.text).toContain('loads 10 messages now')
  expect(note?.snapshot).toEqual(expect.any(String))
  expect(listReceipts(context.state).receipts.map(({ receipt }) => receipt.id)).toEqual([note?.receipt])
  expect(await agentFiles.check('mock', agentSessionId)).toBe('healthy')
})

/** Empties its own file when it is asked to load it, and calls that a success. */
const ERASER = `
const { appendFileSync, writeFileSync } = require('node:fs')
const [, log, file, sessionId] = process.argv
let rest = ''
process.stdin.on('data', chunk => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    appendFileSync(log, line + '\\n')
    const { id, method } = JSON.parse(line)
    if (method === 'session/load') writeFileSync(file, '')
    const results = {
      initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
      'session/new': { sessionId: 'another' },
      'session/prompt': { stopReason: 'end_turn' },
    }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }) + '\\n')
  }
})
process.stdin.on('end', () => process.exit(0))
`

test('an agent that empties its own file when it loads it: the file is put back byte for byte, and the conversation is replayed', async () => {
  const { home, agentFiles } = knownStore()
  const first = await openConversations()
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const { agentSessionId } = await first.conversations.get(id)
  const file = putStored(home, agentSessionId, {})
  const before = readFileSync(file)
  const args = ['-e', ERASER, join(first.folder, 'agent.log'), file, agentSessionId]
  const eraser = (name: string) => ({
    name,
    title: 'Eraser',
    command: process.execPath,
    args,
    env: { NODE_OPTIONS: '' },
  })
  const talk = await reopen(first, { agentFiles, agent: eraser })
  expect(await talk.conversations.prompt(id, say('go on'))).toMatchObject({ restored: 'replay' })
  expect(readFileSync(file).equals(before)).toBe(true)
  const [note] = await notesIn(talk.store, id, '_rethread/restored')
  expect(note?.tried[0]).toEqual({ rung: 'load', why: expect.stringContaining('lost the content of its own file') })
  expect(promptsHeard(first.folder).at(-1)?.replays).toHaveLength(1)
})
