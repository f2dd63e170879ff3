import { expect, test } from 'vitest'
import { shareApi } from '../../../test/support/opencode-api.ts'

const api = shareApi()

test.each([
  ['append-prompt', { text: 'hi' }, 'tui.prompt.append', { text: 'hi' }],
  ['open-help', undefined, 'tui.command.execute', { command: 'help.show' }],
  ['open-sessions', undefined, 'tui.command.execute', { command: 'session.list' }],
  ['open-themes', undefined, 'tui.command.execute', { command: 'theme.switch' }],
  ['open-models', undefined, 'tui.command.execute', { command: 'model.list' }],
  ['submit-prompt', undefined, 'tui.command.execute', { command: 'prompt.submit' }],
  ['clear-prompt', undefined, 'tui.command.execute', { command: 'prompt.clear' }],
  ['execute-command', { command: 'agent_cycle' }, 'tui.command.execute', { command: 'agent.cycle' }],
  ['execute-command', { command: 'my.own' }, 'tui.command.execute', { command: 'my.own' }],
  ['show-toast', { message: 'm', variant: 'error' }, 'tui.toast.show', { message: 'm', variant: 'error' }],
  ['publish', { type: 'tui.prompt.append', properties: { text: 'p' } }, 'tui.prompt.append', { text: 'p' }],
])('%s %j is published as %s', async (name, body, type, properties) => {
  const log = await api().listen()
  const asked = api().get('/tui/control/next')
  expect(await api().post(`/tui/${name}`, body)).toBe(true)
  await log.until(event => event.type === type)
  expect(log.events.findLast(event => event.type === type)?.properties).toEqual(properties)
  expect(await asked).toEqual({ path: `/tui/${name}`, body: properties })
})

test('a session is selected by its id, and one that is not there is not', async () => {
  const id = await api().begin()
  const log = await api().listen()
  expect(await api().post('/tui/select-session', { sessionID: id })).toBe(true)
  await log.until(event => event.type === 'tui.session.select')
  expect(await api().call('POST', '/tui/select-session', { sessionID: 'ses_none' })).toMatchObject({ status: 404 })
})

test.each([
  ['append-prompt', {}],
  ['show-toast', { message: 'm', variant: 'loud' }],
  ['publish', { type: 'session.deleted', properties: {} }],
])('%s with %j is refused', async (name, body) => {
  expect(await api().call('POST', `/tui/${name}`, body)).toMatchObject({ status: 400 })
})

test('an answer to a request is taken', async () => {
  expect(await api().post('/tui/control/response', { any: 'thing' })).toBe(true)
})
