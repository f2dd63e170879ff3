import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { differing, makeHome, readMessages, repairableKinds, snapshot } from '../../../test/support/damaged.ts'
import { quickHome } from '../../../test/support/faults.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { startWriter } from '../../../test/support/writer.ts'
import { listReceipts } from '../../disk/vault/receipts.ts'
import { RethreadError } from '../../model/errors.ts'
import { undoRepair } from '../../repair/undo.ts'
import { makeAgentFiles } from './index.ts'
import { MAX_SNAPSHOT_BYTES } from './take-snapshot.ts'

const LOGS = [
  ['claude', 'claude-code', 'projects'],
  ['codex', 'codex', 'rollouts'],
  ['gemini', 'gemini-cli', 'json-lines'],
] as const
const DOCUMENT = ['gemini', 'gemini-cli', 'document'] as const
const TREE = ['opencode', 'opencode', 'tree'] as const

async function prepare(name: string, agent: string, generation: string, home = quickHome()) {
  const kind = (await repairableKinds()).find(each => each.agent === agent && each.store === generation)
  if (kind === undefined) throw new Error(`${agent} has no generation ${generation}.`)
  const made = await makeHome(home, kind, 1)
  const agentFiles = makeAgentFiles({ context: made.context })
  const taken = await agentFiles.snapshot(name, made.session.sessionId)
  if (taken === undefined) throw new Error('No copy was made.')
  const before = snapshot(home)
  const ofSession = [...before.keys()].filter(path => OF_SESSION.test(path))
  return { ...made, agentFiles, taken, before, ofSession, messages: await readMessages(made) }
}

const OF_SESSION = /[/\\](projects|sessions|chats|storage[/\\](session|message|part))[/\\]/

test.each([...LOGS, DOCUMENT, TREE])(
  'a session of %s (%s, %s) that was erased is put back, which can be taken back',
  async (...kind) => {
    const { home, context, session, taken, before, ofSession, messages } = await prepare(...kind)
    expect(taken.bytes).toBe(ofSession.reduce((sum, path) => sum + (before.get(path)?.length ?? 0), 0))
    expect(await taken.compare()).toBe('same')
    for (const path of ofSession) rmSync(path)
    expect(await taken.compare()).toBe('lost')
    await taken.putBack()
    expect(differing(before, snapshot(home))).toEqual([])
    expect(await readMessages({ context, session })).toEqual(messages)
    expect(await taken.compare()).toBe('same')
    const [listed] = listReceipts(context.state).receipts
    expect(listed?.receipt).toMatchObject({ state: 'applied', agent: session.agent, sessionId: session.sessionId })
    await undoRepair(context, listed?.receipt.id ?? '', { force: true })
    expect(await taken.compare()).toBe('lost')
  },
)

test.each(LOGS)('a session of %s (%s, %s) that was added to has grown, and is left alone', async (...kind) => {
  const { session, taken, context } = await prepare(...kind)
  appendFileSync(session.filePath, '{"more":true}\n')
  const now = readFileSync(session.filePath)
  expect(await taken.compare()).toBe('grown')
  await taken.putBack()
  expect(readFileSync(session.filePath)).toEqual(now)
  expect(listReceipts(context.state).receipts).toEqual([])
})

test.each(LOGS)(
  'a rewritten session of %s (%s, %s) is put back, and the replaced bytes are stored',
  async (...kind) => {
    const { context, session, taken, before } = await prepare(...kind)
    const again = `{"again":"${'x'.repeat(taken.bytes)}"}\n`
    writeFileSync(session.filePath, again)
    expect(await taken.compare()).toBe('lost')
    await taken.putBack()
    expect(readFileSync(session.filePath)).toEqual(before.get(session.filePath))
    const [listed] = listReceipts(context.state).receipts
    await undoRepair(context, listed?.receipt.id ?? '', { force: true })
    expect(readFileSync(session.filePath, 'utf8')).toBe(again)
  },
)

test('a log that became shorter is lost', async () => {
  const { session, taken } = await prepare(...LOGS[0])
  truncateSync(session.filePath, taken.bytes - 1)
  expect(await taken.compare()).toBe('lost')
})

test('a log that its agent moved to another place of its store is not lost', async () => {
  const { session, taken } = await prepare(...LOGS[1])
  const archived = session.filePath.replace('/sessions/', '/archived_sessions/')
  mkdirSync(dirname(archived), { recursive: true })
  renameSync(session.filePath, archived)
  expect(await taken.compare()).toBe('grown')
})

test('a document that is written otherwise has grown as long as its messages are there', async () => {
  const { session, taken, before } = await prepare(...DOCUMENT)
  const document = JSON.parse(readFileSync(session.filePath, 'utf8'))
  writeFileSync(session.filePath, JSON.stringify({ ...document, lastUpdated: '2026-02-01T00:00:00.000Z' }))
  expect(await taken.compare()).toBe('grown')
  writeFileSync(session.filePath, JSON.stringify({ ...document, messages: document.messages.slice(1) }))
  expect(await taken.compare()).toBe('lost')
  await taken.putBack()
  expect(readFileSync(session.filePath)).toEqual(before.get(session.filePath))
})

test('without its copy, a document is reported neither as lost nor as unchanged', async () => {
  const { session, taken, context } = await prepare(...DOCUMENT)
  rmSync(join(context.state, 'snapshots'), { recursive: true })
  expect(await taken.compare()).toBe('same')
  appendFileSync(session.filePath, '\n')
  await expect(taken.compare()).rejects.toMatchObject({ code: 'not-found' })
})

test('a tree that has a part less is lost, one that has a file more has grown', async () => {
  const { home, taken, ofSession, before } = await prepare(...TREE)
  const part = ofSession.findLast(path => path.includes('/part/') && before.get(path)?.includes('"text"')) ?? ''
  writeFileSync(`${part.slice(0, -'.json'.length)}z.json`, before.get(part) ?? '')
  expect(await taken.compare()).toBe('grown')
  rmSync(`${part.slice(0, -'.json'.length)}z.json`)
  rmSync(part)
  expect(await taken.compare()).toBe('lost')
  await taken.putBack()
  expect(differing(before, snapshot(home))).toEqual([])
})

test('a file that was put back has the mode it had and is as new, so that no agent takes it for old and deletes it', async () => {
  const { session, taken } = await prepare(...LOGS[0])
  const { mode, mtimeMs } = statSync(session.filePath)
  rmSync(dirname(session.filePath), { recursive: true })
  await taken.putBack()
  expect(statSync(session.filePath).mode).toBe(mode)
  expect(statSync(session.filePath).mtimeMs).toBeGreaterThan(mtimeMs)
})

test('nothing is put back under a program that has the file open for writing', async () => {
  const { session, taken, context } = await prepare(...LOGS[0], temporaryHome())
  truncateSync(session.filePath, 10)
  const opens = "import { openSync } from 'node:fs'; openSync(path, 'a'); say('open'); await next()"
  const writer = startWriter(session.filePath, opens)
  await writer.heard()
  await expect(taken.putBack()).rejects.toMatchObject({ code: 'busy' })
  expect(statSync(session.filePath).size).toBe(10)
  expect(listReceipts(context.state).receipts).toEqual([])
})

test('there is no copy for an unknown agent, an unknown session, or one that is too large', async () => {
  const { agentFiles, session } = await prepare(...LOGS[0])
  expect(await agentFiles.snapshot('nobody', session.sessionId)).toBeUndefined()
  expect(await agentFiles.snapshot('claude', 'no-such-session')).toBeUndefined()
  truncateSync(session.filePath, MAX_SNAPSHOT_BYTES + 1)
  expect(await agentFiles.snapshot('claude', session.sessionId)).toBeUndefined()
})

test('a session that its agent has locked is not put back, and the lock is given up behind one that is', async () => {
  const { context, session } = await prepare(...LOGS[0])
  const locked = new RethreadError({ code: 'locked', text: 'The agent is at work on it.', hint: 'Close it.' })
  const notified: string[] = []
  let isLocked = true
  const hold = () => {
    if (isLocked) throw locked
    notified.push('held')
    return {
      release: () => void notified.push(existsSync(session.filePath) ? 'released behind it' : 'released too soon'),
    }
  }
  const agents = context.agents.map(agent => (agent.id === session.agent ? { ...agent, hold } : agent))
  const taken = await makeAgentFiles({ context: { ...context, agents } }).snapshot(LOGS[0][0], session.sessionId)
  rmSync(session.filePath)
  await expect(taken?.putBack()).rejects.toBe(locked)
  expect(existsSync(session.filePath)).toBe(false)
  isLocked = false
  await taken?.putBack()
  expect(notified).toEqual(['held', 'released behind it'])
})
