// A conversation that an editor holds, seen from a server on the same journal: announced, live, not to be written to,
// and gone when the editor deletes it.
import { expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { textOf } from '../support/editor.ts'
import { startEditor, startServer } from '../support/editor-process.ts'
import { temporaryHome } from '../support/home.ts'
import { say } from '../support/talk.ts'

test('is live for OpenCode clients and on the page, and only the editor may write to it', async () => {
  const home = temporaryHome()
  const { port, token, opencode, log, stop } = await startServer(home)
  const editor = await startEditor(home)
  const { sessionId } = editor
  const wireId = `ses_${sessionId}`

  const turn = editor.agent.request('session/prompt', { sessionId, ...say('slow') })
  await log.until(({ type, properties }) => type === 'message.part.updated' && properties['sessionID'] === wireId)
  await expect.poll(() => textOf(editor.updates, 'agent_message_chunk')).not.toBe('')
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
  await editor.agent.request('session/delete', { sessionId })
  await log.until(({ type, properties }) => type === 'session.deleted' && properties['sessionID'] === wireId)
  await editor.close()
  const own = log.events.filter(({ properties }) => Reflect.get(properties, 'sessionID') === wireId)
  expect(own[0]).toMatchObject({ type: 'session.created', properties: { info: { id: wireId } } })
  expect(log.of('session.created')).toHaveLength(1)
  await stop()
})
