// A conversation that an editor holds, seen from a server on the same journal: live, and not to be written to.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { connectEditor, textOf } from '../support/editor.ts'
import { EventLog } from '../support/event-log.ts'
import { temporaryHome } from '../support/home.ts'
import { rethreadBin } from '../support/package.ts'
import { serve } from '../support/serve.ts'
import { say } from '../support/talk.ts'

async function startEditor(home: string, state: string) {
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  const args = [rethreadBin, '--home', home, '--state', state, 'acp', '--agent', 'mock']
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const editor = connectEditor(child.stdout, child.stdin)
  await editor.agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await editor.agent.request('session/new', { cwd: project, mcpServers: [] })
  const close = async (): Promise<void> => {
    child.stdin.end()
    await once(child, 'exit')
  }
  return { ...editor, sessionId, close }
}

test('is live for OpenCode clients and on the page, and only the editor may write to it', async () => {
  const home = temporaryHome()
  const { port, token, child, ended } = await serve(home)
  const authorization = `Bearer ${token}`
  const opencode = async (path: string, init: RequestInit = {}) =>
    await fetch(`http://127.0.0.1:${port}/opencode${path}`, { ...init, headers: { authorization } })
  const log = new EventLog(await opencode('/event'))
  await log.until(({ type }) => type === 'server.connected')
  const editor = await startEditor(home, join(home, 'state-of-rethread'))
  const { sessionId } = editor
  const wireId = `ses_${sessionId}`

  const turn = editor.agent.request('session/prompt', { sessionId, ...say('slow') })
  await log.until(({ type, properties }) => type === 'message.part.updated' && properties['sessionID'] === wireId)
  await expect.poll(() => textOf(editor.told, 'agent_message_chunk')).not.toBe('')
  expect(await (await opencode('/session/status')).json()).toMatchObject({ [wireId]: { type: 'busy' } })
  const state = JSON.parse((await ask(port, `/api/conversations/${sessionId}`, { token })).text)
  expect(state).toMatchObject({ status: 'busy', heldElsewhere: { code: 'busy' } })
  expect(JSON.stringify(state.messages)).toContain('slow')

  const body = JSON.stringify({ parts: [{ type: 'text', text: 'me too' }] })
  for (const path of [`/session/${wireId}/message`, `/session/${wireId}/prompt_async`]) {
    const refused = await opencode(path, { method: 'POST', body })
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ data: { message: expect.stringContaining('another rethread') } })
  }
  expect((await opencode(`/session/${wireId}`, { method: 'DELETE' })).status).toBe(409)

  await editor.agent.notify('session/cancel', { sessionId })
  expect(await turn).toMatchObject({ stopReason: 'cancelled' })
  await log.until(({ type, properties }) => type === 'session.idle' && properties['sessionID'] === wireId)
  expect(JSON.stringify(await (await opencode(`/session/${wireId}/message`)).json())).not.toContain('me too')
  await editor.close()
  // So that the stream of events ends, instead of being cut off.
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
