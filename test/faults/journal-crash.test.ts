// A rethread that is killed: what it reported is in the journal, and the next one settles and goes on.
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identifyProcess } from '../../src/disk/processes/process-identity.ts'
import { openJournal } from '../../src/journal/store/open.ts'
import { inFull } from '../support/full.ts'
import { put, temporaryHome } from '../support/home.ts'
import { CHUNK, changesIn, eventsIn, promptsHeard, saidIn } from '../support/journal.ts'
import { below, seededRandom } from '../support/random.ts'
import { type SentEvent, startRethread } from '../support/rethread.ts'
import { begin, openConversations, say } from '../support/talk.ts'

const REPLAY_ONLY = ['--without', 'resume', '--without', 'load']
const ROUNDS = inFull(8, 2)

/** Everything that was reported is there with its very bytes, and no place is empty. */
async function expectJournalled(folder: string, notified: readonly SentEvent[]): Promise<void> {
  const store = await openJournal(join(folder, 'journal.sqlite'))
  try {
    for (const id of new Set(notified.map(({ sessionId }) => sessionId))) {
      const events = await eventsIn(store, id)
      expect(events.map(({ seq }) => seq)).toEqual(Array.from(events, (_, index) => index + 1))
      const shas = events.map(({ payload }) => createHash('sha256').update(payload).digest('hex'))
      for (const { sessionId, seq, sha } of notified) if (sessionId === id) expect(shas[seq - 1]).toBe(sha)
    }
  } finally {
    await store.close()
  }
}

/** Far more than is said before it is killed, however late that is. */
const ENDLESS = 'stream 100000'

test('killed again and again, while it streams and while it appends: all that was reported is there, and the next one settles and restores', async () => {
  const random = seededRandom(20)
  const first = await openConversations()
  const { folder } = first
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  await first.close()
  for (let round = 0; round < ROUNDS; round++) {
    const isInAppend = round % 2 === 1
    const killAtAppend = { count: 5 + below(random, 60), steps: below(random, 60) }
    const rethread = await startRethread({ folder, ...(isInAppend ? { killAtAppend } : {}) })
    await rethread.order({ order: 'settle' })
    const turn = rethread.order({ order: 'prompt', id, text: ENDLESS }).catch((error: unknown) => error)
    if (!isInAppend) {
      await rethread.hasSent(CHUNK, 1 + below(random, 100))
      await rethread.kill()
    }
    expect(await turn).toMatchObject({ message: 'This rethread has ended.' })
    await expectJournalled(folder, rethread.notified)
  }
  const last = await openConversations({ folder })
  await last.conversations.settle()
  const said = await saidIn(last.store, id)
  expect(said.filter(line => line === `user: ${ENDLESS}`).length).toBeGreaterThan(0)
  for (const line of said.slice(2).filter(each => each.startsWith('assistant'))) expect(line).toMatch(/\(incomplete\)$/)
  expect(await last.conversations.prompt(id, say('goodbye'))).toMatchObject({ restored: 'resume' })
  expect((await saidIn(last.store, id)).at(-1)).toBe('assistant: goodbye')
})

async function killedAt(text: string, kind: string) {
  const folder = temporaryHome()
  // Ends by itself when nobody reads what it says any more.
  put(folder, 'project/endless.sh', 'while echo 1; do sleep 0.05; done')
  const rethread = await startRethread({ folder })
  const id = String(await rethread.order({ order: 'begin' }))
  const turn = rethread.order({ order: 'prompt', id, text })
  const failing = expect(turn).rejects.toThrow('has ended')
  await rethread.hasSent(kind)
  await rethread.kill()
  await failing
  const talk = await openConversations({ folder })
  expect(await talk.conversations.get(id)).toMatchObject({ openTurns: 1 })
  expect(await talk.conversations.settle()).toMatchObject({ sessions: [id] })
  expect(await talk.conversations.settle()).toEqual({ sessions: [], fenced: 0 })
  expect(talk.events.map(event => event.kind)).toEqual(['_rethread/settled'])
  const changes = await changesIn(talk.store, id)
  expect(changes.findLast(({ type }) => type === 'status')).toMatchObject({ status: 'idle' })
  return { talk, id, changes }
}

test('killed while a tool runs: the next start interrupts it', async () => {
  const { talk, id } = await killedAt('run sh endless.sh', 'response:terminal/create')
  expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: [interrupted] (incomplete)')
})

test('killed while a permission waits: it has expired at the next start', async () => {
  const { changes } = await killedAt('permission', 'session/request_permission')
  expect(changes).toContainEqual(expect.objectContaining({ type: 'settled', end: 'expired' }))
})

test.each([
  ['sent the agent nothing yet', 'response:session/new', REPLAY_ONLY],
  ['journalled the prompt and not sent it', 'session/prompt', REPLAY_ONLY],
  ['journalled the prompt and not sent it, and the agent can load', 'session/prompt', []],
  ['heard part of the answer', CHUNK, REPLAY_ONLY],
  ['heard part of the answer, and the agent can load', CHUNK, []],
] as const)(
  'killed in a replay when it had %s: the agent that answers in the end got the history exactly once',
  async (_, killAtKind, flags) => {
    const first = await openConversations({ flags: REPLAY_ONLY })
    const { folder } = first
    const id = await begin(first)
    await first.conversations.prompt(id, say('my number is 4711'))
    await first.close()
    const rethread = await startRethread({ folder, flags: REPLAY_ONLY, killAtKind })
    const turn = rethread.order({ order: 'prompt', id, text: 'stream 30' })
    await expect(turn).rejects.toThrow('has ended')
    const last = await openConversations({ folder, flags })
    await last.conversations.settle()
    await last.conversations.prompt(id, say('history'))
    await last.conversations.prompt(id, say('and now'))
    const { agentSessionId } = await last.conversations.get(id)
    const answering = promptsHeard(folder).filter(({ sessionId }) => sessionId === agentSessionId)
    const replays = answering.flatMap(prompt => prompt.replays)
    expect(replays).toHaveLength(1)
    expect(replays[0]).toContain('my number is 4711')
    expect((await saidIn(last.store, id)).filter(line => line.startsWith('assistant: history='))).toMatchObject([
      expect.stringMatching(/replays=1$/),
    ])
  },
)

test.each(['at start', 'when its session is restored'])(
  'an agent that outlived its rethread, and what it had started, are gone: %s',
  async when => {
    const folder = temporaryHome()
    const rethread = await startRethread({ folder, flags: ['--fault', 'zombie-child'] })
    const id = String(await rethread.order({ order: 'begin' }))
    const zombieLog = join(folder, 'agent', 'zombie.log')
    await expect.poll(() => statSync(zombieLog, { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0)
    const zombie = Number.parseInt(readFileSync(zombieLog, 'utf8'), 10)
    const talk = await openConversations({ folder })
    const [connection] = await talk.store.listOpenConnections()
    const agent = connection?.process?.pid ?? 0
    onTestFinished(() => [agent, zombie].filter(identifyProcess).forEach(pid => void process.kill(pid, 'SIGKILL')))
    // One that hangs does not see that its input has ended.
    process.kill(agent, 'SIGSTOP')
    await rethread.kill()
    expect([agent, zombie].map(identifyProcess)).toEqual([expect.anything(), expect.anything()])
    if (when === 'at start') expect(await talk.conversations.settle()).toEqual({ sessions: [], fenced: 2 })
    else await talk.conversations.ensure(id)
    const { size } = statSync(zombieLog)
    expect([agent, zombie].map(identifyProcess)).toEqual([undefined, undefined])
    expect(await talk.conversations.prompt(id, say('hello'))).toMatchObject({ restored: 'resume' })
    expect(statSync(zombieLog).size).toBe(size)
  },
)
