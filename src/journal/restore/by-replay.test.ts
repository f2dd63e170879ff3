// An agent that can neither resume nor load gets a replay of the conversation: once, and never a replay of a
// replay.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFull } from '../../../test/support/full.ts'
import { eventsIn, notesIn, promptsHeard, saidIn } from '../../../test/support/journal.ts'
import { begin, killAgent, openConversations, reopen, say } from '../../../test/support/talk.ts'
import { REPLAY_MARK } from './replay/build-replay.ts'

const REPLAY_ONLY = ['--without', 'resume', '--without', 'load']

test('the first prompt after it has it in front, the second has none, and the journal has none at all', async () => {
  const talk = await openConversations({ flags: REPLAY_ONLY })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('my number is 4711'))
  await killAgent(talk, id)
  await talk.conversations.ensure(id)
  expect(await talk.conversations.get(id)).toMatchObject({ replay: { state: 'pending' } })
  await talk.conversations.prompt(id, say('what was it'))
  await talk.conversations.prompt(id, say('history'))
  const prompts = promptsHeard(talk.folder)
  expect(prompts.map(({ text, replays }) => [text, replays.length])).toEqual([
    ['my number is 4711', 0],
    ['what was it', 1],
    ['history', 0],
  ])
  expect(prompts[1]?.replays[0]).toContain('my number is 4711')
  expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: history=3 replays=1')
  for (const { payload } of await eventsIn(talk.store, id)) expect(payload.includes(REPLAY_MARK)).toBe(false)
  expect(await notesIn(talk.store, id, '_rethread/replayed')).toMatchObject([{ entries: 2, isTruncated: false }])
})

test('of two prompts at once only the first has it', async () => {
  const talk = await openConversations({ flags: REPLAY_ONLY })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  await killAgent(talk, id)
  await Promise.all(['stream 3', 'history'].map(async text => await talk.conversations.prompt(id, say(text))))
  expect(promptsHeard(talk.folder).map(({ text, replays }) => [text, replays.length])).toEqual([
    ['hello', 0],
    ['stream 3', 1],
    ['history', 0],
  ])
})

test('after a failed turn the replay is not sent twice', async () => {
  const talk = await openConversations({ flags: REPLAY_ONLY })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  await killAgent(talk, id)
  await expect(talk.conversations.prompt(id, say('error'))).rejects.toThrow('mock process crashed')
  expect(await talk.conversations.get(id)).toMatchObject({ replay: { state: 'sent' }, openTurns: 0 })
  await talk.conversations.prompt(id, say('history'))
  expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: history=2 replays=1')
  expect(await talk.conversations.get(id)).toMatchObject({ replay: undefined })
})

test('an agent that exits in the turn with the replay: a load shows whether it has it, and it is not sent again', async () => {
  const first = await openConversations({ flags: REPLAY_ONLY })
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const mark = join(first.folder, 'died')
  const second = await reopen(first, { flags: [...REPLAY_ONLY, '--fault', 'die-mid-stream', '--fault-once', mark] })
  await expect(second.conversations.prompt(id, say('stream 9'))).rejects.toMatchObject({ code: 'agent-failed' })
  const third = await reopen(second, { flags: [] })
  expect(await third.conversations.prompt(id, say('history'))).toMatchObject({ restored: 'load' })
  expect(promptsHeard(first.folder).map(({ replays }) => replays.length)).toEqual([0, 1, 0])
  expect((await saidIn(third.store, id)).at(-1)).toBe('assistant: history=2 replays=1')
})

test('an agent that never got the replay is restarted, and then gets it', async () => {
  const first = await openConversations({ flags: REPLAY_ONLY })
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const mark = join(first.folder, 'died')
  // It ends before the prompt is in its store.
  const second = await reopen(first, { flags: [...REPLAY_ONLY, '--fault', 'die-on-prompt', '--fault-once', mark] })
  await expect(second.conversations.prompt(id, say('lost'))).rejects.toMatchObject({ code: 'agent-failed' })
  const third = await reopen(second, { flags: [] })
  expect(await third.conversations.prompt(id, say('history'))).toMatchObject({ restored: 'replay' })
  expect((await saidIn(third.store, id)).at(-1)).toBe('assistant: history=1 replays=1')
  const [, , last] = promptsHeard(first.folder)
  expect(last?.replays[0]?.split('lost')).toHaveLength(2)
})

/** Less than the mock agent, so that a hundred can be started: it can begin sessions and answer. */
const TINY_AGENT = `
const { appendFileSync } = require('node:fs')
let rest = ''
process.stdin.on('data', chunk => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    if (method === 'session/prompt') appendFileSync(process.argv[1], line + '\\n')
    const results = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId: 's' + process.pid }, 'session/prompt': { stopReason: 'end_turn' } }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }) + '\\n')
  }
})
process.stdin.on('end', () => process.exit(0))
`

const RESTARTS = inFull(100, 11)

test(`${RESTARTS} restarts: what is reported does not grow, and is reported once each time`, async () => {
  const maxChars = 3000
  const first = await openConversations()
  const log = join(first.folder, 'agent.log')
  const agent = (name: string) => {
    const args = ['-e', TINY_AGENT, log]
    return { name, title: 'Tiny', command: process.execPath, args, env: { NODE_OPTIONS: '' } }
  }
  let talk = await reopen(first, { agent, replay: { maxChars } })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('message 0 of many'))
  for (let n = 1; n <= RESTARTS; n++) {
    await killAgent(talk, id)
    if (n % 10 === 0) talk = await reopen(talk, { agent, replay: { maxChars } })
    await talk.conversations.prompt(id, say(`message ${n} of many`))
  }
  const prompts = promptsHeard(first.folder)
  expect(prompts.map(({ replays }) => replays.length)).toEqual([0, ...Array<number>(RESTARTS).fill(1)])
  const lengths = prompts.flatMap(({ replays }) => replays.map(({ length }) => length))
  expect(Math.max(...lengths)).toBeLessThanOrEqual(maxChars)
  const last = prompts.at(-1)?.replays[0] ?? ''
  expect(last).toContain(`message ${RESTARTS - 1} of many`)
  expect(last.split(REPLAY_MARK)).toHaveLength(2)
  for (const { payload } of await eventsIn(talk.store, id)) expect(payload.includes(REPLAY_MARK)).toBe(false)
})
