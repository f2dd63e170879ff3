// An editor sees the agent it knows, and more of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Editor, openEditor, textOf } from '../../../test/support/editor.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { say } from '../../../test/support/talk.ts'
import { openJournal } from '../store/open.ts'

const POOR = ['--without', 'load', '--without', 'resume', '--without', 'list']

async function begin(editor: Editor, folder: string): Promise<string> {
  const { sessionId } = await editor.agent.request('session/new', { cwd: join(folder, 'project'), mcpServers: [] })
  return sessionId
}

test('an agent that can neither list nor load sessions can do both through rethread', async () => {
  const folder = temporaryHome()
  const first = await openEditor(folder, POOR)
  const answer = await first.agent.request('initialize', { protocolVersion: 1 })
  expect(answer.agentCapabilities).toMatchObject({ loadSession: true, sessionCapabilities: { list: {}, resume: {} } })
  const id = await begin(first, folder)
  await first.agent.request('session/prompt', { sessionId: id, ...say('where is the bug?') })
  await first.close()
  const second = await openEditor(folder, POOR)
  const { sessions } = await second.agent.request('session/list', {})
  expect(sessions).toMatchObject([{ sessionId: id, title: 'where is the bug?', cwd: join(folder, 'project') }])
  await second.agent.request('session/load', { sessionId: id, cwd: join(folder, 'project'), mcpServers: [] })
  expect(textOf(second.updates, 'user_message_chunk')).toBe('where is the bug?')
  expect(textOf(second.updates, 'agent_message_chunk')).toBe('where is the bug?')
  await second.agent.request('session/prompt', { sessionId: id, ...say('history') })
  expect(textOf(second.updates, 'agent_message_chunk')).toContain('replays=1')
})

test('notifications of the agent reach the editor with the id the editor knows, and every other byte unchanged', async () => {
  const folder = temporaryHome()
  const editor = await openEditor(folder, ['--fault', 'unknown-updates'])
  const id = await begin(editor, folder)
  await editor.agent.request('session/prompt', { sessionId: id, ...say('hello') })
  const lines = editor.lines().filter(line => line.includes('"session/update"'))
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines) expect(JSON.parse(line).params.sessionId).toBe(id)
  expect(editor.lines().some(line => line.includes('_example/'))).toBe(true)
})

test('what the agent asks is asked of the editor', async () => {
  const folder = temporaryHome()
  const editor = await openEditor(folder)
  const id = await begin(editor, folder)
  await editor.agent.request('session/prompt', { sessionId: id, ...say('permission please') })
  expect(editor.permissions.map(({ sessionId }) => sessionId)).toEqual([id])
  await editor.agent.request('session/prompt', { sessionId: id, ...say('read notes.txt') })
  expect(textOf(editor.updates, 'agent_message_chunk')).toContain('content of ')
})

test('a restored conversation says how, and what may be lost', async () => {
  const folder = temporaryHome()
  const flags = [...POOR, '--fault', 'die-mid-stream', '--fault-once', join(folder, 'died')]
  const editor = await openEditor(folder, flags)
  const id = await begin(editor, folder)
  await expect(editor.agent.request('session/prompt', { sessionId: id, ...say('stream 9') })).rejects.toThrow('ended')
  const answer = await editor.agent.request('session/prompt', { sessionId: id, ...say('go on') })
  expect(answer).toMatchObject({ stopReason: 'end_turn' })
  expect(textOf(editor.updates, 'agent_thought_chunk')).toMatch(/restored.*limited length/s)
  const sent = readFileSync(join(folder, 'agent.log'), 'utf8')
  expect(sent.match(/\[rethread replay\]/g)).toHaveLength(1)
})

test('while the agent starts, the editor shows what is done and for how long, and the history has none of it', async () => {
  const folder = temporaryHome()
  const flags = [...POOR, '--fault', 'die-mid-stream', '--fault-once', join(folder, 'died')]
  const editor = await openEditor(folder, flags, { showAfterMs: 0 })
  const id = await begin(editor, folder)
  await expect(editor.agent.request('session/prompt', { sessionId: id, ...say('stream 9') })).rejects.toThrow('ended')
  await editor.agent.request('session/prompt', { sessionId: id, ...say('go on') })
  const calls = editor.updates.filter(({ update }) => String(update['toolCallId']).startsWith('rethread-'))
  expect(calls[0]).toMatchObject({
    sessionId: id,
    update: { title: expect.stringMatching(/^Starting mock… 0 s of at most \d+ s$/), status: 'in_progress' },
  })
  expect(calls.at(-1)).toMatchObject({ update: { sessionUpdate: 'tool_call_update', status: 'completed' } })
  const before = editor.updates.length
  await editor.agent.request('session/load', { sessionId: id, cwd: join(folder, 'project'), mcpServers: [] })
  expect(JSON.stringify(editor.updates.slice(before))).not.toContain('Starting')
})

test('cancelling ends the turn', async () => {
  const folder = temporaryHome()
  const editor = await openEditor(folder)
  const id = await begin(editor, folder)
  const turn = editor.agent.request('session/prompt', { sessionId: id, ...say('slow') })
  await expect.poll(() => textOf(editor.updates, 'agent_message_chunk')).not.toBe('')
  await editor.agent.notify('session/cancel', { sessionId: id })
  expect(await turn).toMatchObject({ stopReason: 'cancelled' })
})

test('a session that only the agent knows is loaded through it, and is in the journal from then on', async () => {
  const folder = temporaryHome()
  const store = ['--store', join(folder, 'agent')]
  const first = await openEditor(join(folder, 'one'), store)
  const id = await begin(first, join(folder, 'one'))
  await first.agent.request('session/prompt', { sessionId: id, ...say('only the agent knows') })
  await first.close()
  const second = await openEditor(join(folder, 'two'), store)
  const listed = await listAll(second)
  expect(listed).toHaveLength(1)
  const sessionId = listed[0] ?? ''
  await second.agent.request('session/load', { sessionId, cwd: join(folder, 'two', 'project'), mcpServers: [] })
  expect(textOf(second.updates, 'user_message_chunk')).toBe('only the agent knows')
  await second.close()
  const third = await openEditor(join(folder, 'two'), POOR)
  expect(await listAll(third)).toEqual([sessionId])
})

test.each(['session/load', 'session/resume'] as const)(
  'a failed %s of a session that only the agent knows changes nothing: it is listed, and the next one works',
  async method => {
    const folder = temporaryHome()
    const store = ['--store', join(folder, 'agent')]
    const first = await openEditor(join(folder, 'one'), store)
    const id = await begin(first, join(folder, 'one'))
    await first.agent.request('session/prompt', { sessionId: id, ...say('only the agent knows') })
    await first.close()
    const fault = ['--fault', method.replace('session/', 'refuse-'), '--fault-once', join(folder, 'refused')]
    const second = await openEditor(join(folder, 'two'), [...store, ...fault])
    const [sessionId = ''] = await listAll(second)
    const params = { sessionId, cwd: join(folder, 'two', 'project'), mcpServers: [] }
    await expect(second.agent.request(method, params)).rejects.toThrow()
    expect(await listAll(second)).toEqual([sessionId])
    await second.agent.request(method, params)
    await second.agent.request('session/prompt', { sessionId, ...say('go on') })
    expect(textOf(second.updates, 'agent_message_chunk')).toContain('go on')
  },
)

test('the trace of a failed load that an earlier version left hides nothing', async () => {
  const folder = temporaryHome()
  const store = ['--store', join(folder, 'agent')]
  const first = await openEditor(join(folder, 'one'), store)
  const id = await begin(first, join(folder, 'one'))
  await first.agent.request('session/prompt', { sessionId: id, ...say('only the agent knows') })
  await first.close()
  const second = await openEditor(join(folder, 'two'), store)
  const [sessionId = ''] = await listAll(second)
  const journal = await openJournal(join(folder, 'two', 'journal.sqlite'))
  const names = { agent: 'mock', agentSessionId: sessionId, lastConnectionId: '', cwd: folder }
  await journal.createSession({ id: sessionId, ...names })
  await journal.destroySession(sessionId)
  await journal.close()
  expect(await listAll(second)).toEqual([sessionId])
  await second.agent.request('session/load', { sessionId, cwd: join(folder, 'two', 'project'), mcpServers: [] })
  expect(textOf(second.updates, 'user_message_chunk')).toBe('only the agent knows')
})

async function listAll(editor: Editor): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null | undefined; ; ) {
    const page = await editor.agent.request('session/list', cursor === undefined ? {} : { cursor })
    ids.push(...page.sessions.map(({ sessionId }) => sessionId))
    if (page.nextCursor === undefined || page.nextCursor === null) return ids
    cursor = page.nextCursor
  }
}

test('what neither the journal nor the agent has is an error that says so', async () => {
  const folder = temporaryHome()
  const editor = await openEditor(folder, POOR)
  const lost = editor.agent.request('session/load', { sessionId: 'lost', cwd: folder, mcpServers: [] })
  await expect(lost).rejects.toMatchObject({ code: -32_002, message: expect.stringContaining('cannot be restored') })
})

test('a fork stands beside its parent, and has its history', async () => {
  const folder = temporaryHome()
  const editor = await openEditor(folder, POOR)
  const id = await begin(editor, folder)
  await editor.agent.request('session/prompt', { sessionId: id, ...say('the first') })
  const forked = await editor.agent.request<{ sessionId: string }>('session/fork', {
    sessionId: id,
    cwd: join(folder, 'project'),
    mcpServers: [],
  })
  expect(forked.sessionId).not.toBe(id)
  await editor.agent.request('session/prompt', { sessionId: forked.sessionId, ...say('history') })
  expect(textOf(editor.updates, 'agent_message_chunk')).toContain('replays=1')
  expect((await listAll(editor)).sort()).toEqual([id, forked.sessionId].sort())
})
