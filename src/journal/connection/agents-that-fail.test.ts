// Agents that write garbage, send unknown messages, never answer, flood, or exit at any step: no message is
// lost, and the next attempt works.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFull } from '../../../test/support/full.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import {
  CHUNK,
  eventsIn,
  heardBy,
  isKind,
  notesIn,
  notified,
  promptsHeard,
  saidIn,
} from '../../../test/support/journal.ts'
import { mockAgentCommand } from '../../../test/support/package.ts'
import { begin, openConversations, reopen, say } from '../../../test/support/talk.ts'

test('garbage between messages is counted line by line under the connection, and the turn works', async () => {
  const talk = await openConversations({ flags: ['--fault', 'garbage'] })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  const { lastConnectionId } = await talk.conversations.get(id)
  const garbage = await notesIn(talk.store, lastConnectionId, '_rethread/garbage')
  // Before each of three answers: no JSON, half a message, a megabyte, a batch, and bytes that are not text.
  expect(garbage.map(({ bytes }) => bytes)).toEqual(
    Array(3)
      .fill([29, 38, 1024 * 1024, 45, 3])
      .flat(),
  )
  expect(garbage[2]?.beginning.length).toBeLessThan(5000)
  const strays = (await eventsIn(talk.store, lastConnectionId)).filter(isKind('response:unknown'))
  expect(strays.map(({ payload }) => payload.toString())).toEqual(
    Array(3).fill('{"jsonrpc":"2.0","id":"never-asked","result":{}}'),
  )
  expect(await saidIn(talk.store, id)).toEqual(['user: hello', 'assistant: hello'])
})

test('an unknown notification is journalled byte for byte, and an unknown request is refused', async () => {
  const folder = temporaryHome()
  const wrote = join(folder, 'wrote')
  const flags = ['--store', join(folder, 'agent'), '--log', join(folder, 'agent.log'), '--fault', 'unknown-updates']
  const { command, args } = mockAgentCommand()
  const teed = ['-c', '"$@" | tee "$0"', wrote, command, ...args, ...flags]
  const talk = await openConversations({
    folder,
    agent: name => ({ name, title: 'Mock', command: 'sh', args: teed, env: {} }),
  })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  const { lastConnectionId } = await talk.conversations.get(id)
  const events = [...(await eventsIn(talk.store, lastConnectionId)), ...(await eventsIn(talk.store, id))]
  const ofAgent = events.filter(({ sender }) => sender === 'agent')
  // `tee` passes a line on before it writes it to its file.
  await expect
    .poll(() => readFileSync(wrote, 'utf8').split('\n').slice(0, -1))
    .toEqual(ofAgent.map(({ payload }) => payload.toString()))
  const kinds = ['session/update:example_update', '_example/thing', '_example/ask']
  expect(ofAgent.map(({ kind }) => kind).filter(kind => kind.includes('example'))).toEqual(kinds)
  const [refused] = heardBy(folder).filter(({ error }) => error !== undefined)
  expect(refused).toMatchObject({ error: { code: -32601 } })
  expect(events.filter(isKind('error:_example/ask'))).toHaveLength(1)
  expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: hello')
})

test('an agent that never says who it is is ended when its time is over', async () => {
  const talk = await openConversations({ flags: ['--fault', 'silent-initialize'], initializeMs: 300 })
  await expect(begin(talk)).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('initialize') })
  expect(await talk.store.listOpenConnections()).toEqual([])
  expect((await talk.store.listSessions({ limit: 5 })).sessions).toEqual([])
})

test('a flood is journalled whole and in order, while the agent waits for the disk', async () => {
  const count = inFull(100_000, 4_000)
  const talk = await openConversations({ flags: ['--fault', `flood=${count}`] })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('go'))
  const texts = (await eventsIn(talk.store, id))
    .filter(isKind(CHUNK))
    .map(({ payload }) => Number(/"text":"(\d+)/.exec(payload.toString('latin1'))?.[1]))
  expect(texts).toEqual([...Array(count).keys()])
  expect(talk.events.filter(({ sessionId }) => sessionId === id).map(({ seq }) => seq)).toEqual(
    Array.from({ length: await talk.store.count(id) }, (_, index) => index + 1),
  )
})

test.each(['die-on-initialize', 'die-on-new'])(
  '%s: beginning fails, says so and leaves no conversation; the next try works',
  async fault => {
    const mark = `${process.env['HOME']}/${fault}`
    const talk = await openConversations({ flags: ['--fault', fault, '--fault-once', mark] })
    await expect(begin(talk)).rejects.toMatchObject({ code: 'agent-failed', message: expect.stringContaining(fault) })
    const { sessions } = await talk.store.listSessions({ limit: 5 })
    expect(sessions.filter(({ destroyedAt }) => destroyedAt === undefined)).toEqual([])
    const id = await begin(talk)
    await talk.conversations.prompt(id, say('hello'))
    expect(await saidIn(talk.store, id)).toEqual(['user: hello', 'assistant: hello'])
  },
)

test.each([
  ['die-on-resume', 'load', []],
  ['die-on-load', 'replay', ['--without', 'resume']],
  ['die-on-prompt', 'load', []],
] as const)(
  '%s during a restore: the next strategy is tried in a new process, and nothing is lost',
  async (fault, rung, flags) => {
    const first = await openConversations()
    const id = await begin(first)
    await first.conversations.prompt(id, say('hello'))
    const mark = join(first.folder, 'died')
    const second = await reopen(first, { flags: [...flags, '--fault', fault, '--fault-once', mark] })
    expect(await second.conversations.prompt(id, say('more'))).toMatchObject({ restored: rung })
    const said = await saidIn(second.store, id)
    expect(said.filter(line => line.startsWith('user'))).toEqual(['user: hello', 'user: more'])
    expect(said.at(-1)).toBe('assistant: more')
    expect(await second.store.listOpenConnections()).toHaveLength(1)
  },
)

test.each([
  ['die-on-initialize', []],
  ['die-on-new', ['--without', 'resume', '--without', 'load']],
] as const)('%s on the way back: an error, and the next try works', async (fault, flags) => {
  const first = await openConversations({ flags })
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const mark = join(first.folder, 'died')
  const second = await reopen(first, { flags: [...flags, '--fault', fault, '--fault-once', mark] })
  await expect(second.conversations.prompt(id, say('more'))).rejects.toMatchObject({
    code: 'agent-failed',
    message: expect.stringContaining(fault),
  })
  // The message is there, with an answer that holds the error alone.
  const failed = ['user: hello', 'assistant: hello', 'user: more', 'assistant:  (error)']
  expect(await saidIn(second.store, id)).toEqual(failed)
  await second.conversations.prompt(id, say('more'))
  expect(await saidIn(second.store, id)).toEqual([...failed, 'user: more', 'assistant: more'])
  expect(promptsHeard(first.folder).map(({ text }) => text)).toEqual(['hello', 'more'])
})

test('a load that is answered after its time is over changes nothing any more', async () => {
  const talk = await openConversations()
  const id = await begin(talk)
  const { connection } = await talk.conversations.ensure(id)
  const changes: unknown[] = []
  const pid = (await talk.store.getConnection(connection.id))?.process?.pid
  if (pid === undefined) throw new Error('There is no agent.')
  // It cannot answer before the time is over.
  process.kill(pid, 'SIGSTOP')
  const answered = notified(talk, isKind('response:session/new'))
  const late = connection.request(
    'session/new',
    { cwd: talk.folder, mcpServers: [] },
    {
      sessionId: id,
      timeoutMs: 50,
      onAnswer(message) {
        changes.push(message)
        return { agentSessionId: 'another' }
      },
    },
  )
  await expect(late).rejects.toMatchObject({ code: 'timeout' })
  process.kill(pid, 'SIGCONT')
  await answered
  expect(changes).toEqual([])
  expect((await talk.conversations.get(id)).agentSessionId).not.toBe('another')
})

test('an agent that never answers is not waited for when everything ends', async () => {
  const talk = await openConversations({ flags: ['--fault', 'silent-initialize'] })
  const beginning = begin(talk).catch((error: unknown) => error)
  await expect.poll(async () => (await talk.store.listOpenConnections())[0]?.process).toBeDefined()
  await talk.conversations.stop()
  expect(await beginning).toMatchObject({ code: 'agent-failed' })
  expect(await talk.store.listOpenConnections()).toEqual([])
})
