// An editor that is killed while a server on the same journal shows its conversation.
import { expect, test } from 'vitest'
import { startEditor, startServer } from '../support/editor-process.ts'
import { temporaryHome } from '../support/home.ts'
import { SocketClient } from '../support/socket-client.ts'
import { say } from '../support/talk.ts'

test('the conversation is free for others, and no longer busy', async () => {
  const home = temporaryHome()
  const { port, token, opencode, log, stop } = await startServer(home)
  const editor = await startEditor(home)
  const { sessionId } = editor
  const page = new SocketClient(port)
  await page.opened()
  await page.hello(token)
  page.send({ type: 'conversation.watch', requestId: 'watch', id: sessionId })
  await page.sees('conversation.state', ({ heldElsewhere }) => heldElsewhere !== null)

  // Without a turn, nothing is written to the journal when the editor ends.
  await editor.kill()
  await page.sees('conversation.state', ({ heldElsewhere }) => heldElsewhere === null)

  const second = await startEditor(home)
  const wireId = `ses_${second.sessionId}`
  second.agent.request('session/prompt', { sessionId: second.sessionId, ...say('slow') }).catch(() => undefined)
  const isOfSecond = ({ properties }: { properties: object }) => Reflect.get(properties, 'sessionID') === wireId
  await log.until(event => event.type === 'message.part.delta' && isOfSecond(event))
  await second.kill()
  await log.until(event => event.type === 'session.idle' && isOfSecond(event))
  expect(await (await opencode('/session/status')).json()).toMatchObject({ [wireId]: { type: 'idle' } })
  await page.leave()
  await stop()
})
