// Turns over real conversations with the mock agent: what clients hear of each, from its beginning to its end.
import { describe, expect, test } from 'vitest'
import { eventsIn } from '../../../test/support/journal.ts'
import { openApi, type Prompted, shareApi, type TestApi } from '../../../test/support/opencode-api.ts'
import { killAgent } from '../../../test/support/talk.ts'
import { MAX_QUEUED_TURNS } from './turns.ts'

const STATUS = ['session.status', 'session.idle', 'session.error']

const shared = shareApi()

async function listening(api = shared()) {
  const id = await api.begin()
  const log = await api.listen(id)
  const statuses = (): string[] => log.types().filter(type => STATUS.includes(type))
  return { api, id, log, statuses }
}

describe('a turn', () => {
  test('is published busy once and idle once, with all messages between', async () => {
    const { api, id, log, statuses } = await listening()
    const { info, parts } = await api.prompt(id, 'hello')
    await log.untilIdle()
    expect(statuses()).toEqual(['session.status', 'session.status', 'session.idle'])
    expect(info).toMatchObject({ role: 'assistant', providerID: 'mock', modelID: 'mock' })
    expect(parts.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'hello' }])
    const [first] = log.types().slice(1)
    expect(first, 'the message of the person comes first').toBe('message.updated')
    expect(log.types().indexOf('session.status')).toBeLessThan(log.types().indexOf('message.part.delta'))
    expect(log.types().at(-1)).toBe('session.idle')
  })

  test('goes under the id that its client gave it, and its answer under one made of that', async () => {
    const { api, id } = await listening()
    const { info } = await api.prompt(id, 'hello', { messageID: 'msg_mine' })
    expect(info).toMatchObject({ id: 'msg_mine_assistant', parentID: 'msg_mine' })
    expect(await api.get(`/session/${id}/message/msg_mine`)).toMatchObject({ parts: [{ type: 'text', text: 'hello' }] })
  })

  test('that the agent fails is an answer with the error in it, and published once', async () => {
    const { api, id, log, statuses } = await listening()
    const { info, parts } = await api.prompt(id, 'error', { messageID: 'msg_mine' })
    expect(info).toMatchObject({ id: 'msg_mine_error', error: { name: 'UnknownError' } })
    expect(parts).toEqual([])
    await log.untilIdle()
    expect(statuses()).toEqual(['session.status', 'session.error', 'session.status', 'session.idle'])
    expect(log.of('session.error')).toMatchObject([{ error: { data: { message: 'mock process crashed' } } }])
  })

  test('whose agent is not installed fails as a turn, not as a request', async () => {
    const { api, id, log, statuses } = await listening()
    const { info } = await api.prompt(id, 'hello', { agent: 'absent' })
    expect(info).toMatchObject({
      providerID: 'absent',
      modelID: 'default',
      id: expect.stringMatching(/^msg_.*_error$/),
    })
    await log.untilIdle()
    expect(statuses()).toEqual(['session.status', 'session.error', 'session.status', 'session.idle'])
    expect(log.of('session.error')).toMatchObject([
      { error: { data: { message: expect.stringContaining('not installed') } } },
    ])
  })

  test('whose agent dies in the middle is published as an error, once', async () => {
    const { api, id, log, statuses } = await listening()
    const turn = api.prompt(id, 'slow')
    await log.until(({ type }) => type === 'message.part.delta')
    await killAgent(api.talk, id)
    expect((await turn).info.id).toMatch(/_error$/)
    await log.untilIdle()
    expect(statuses()).toEqual(['session.status', 'session.error', 'session.status', 'session.idle'])
  })

  test('is published busy and idle once, also where a restore falls back first', async () => {
    const { api, id, log, statuses } = await listening(
      await openApi({ flags: ['--fault', 'refuse-prompt-after-load'] }),
    )
    await api.prompt(id, 'hello')
    await killAgent(api.talk, id)
    log.events.length = 0
    await api.prompt(id, 'hello again')
    await log.untilIdle()
    expect(statuses().filter(type => type === 'session.idle')).toHaveLength(1)
    expect(log.of('session.status').map(({ status }) => status.type)).toEqual(['busy', 'idle'])
    const kinds = (await eventsIn(api.talk.store, id)).map(({ kind }) => kind)
    expect(kinds.filter(kind => kind === 'session/prompt').length, 'the second was tried again').toBeGreaterThan(2)
  })
})

describe('turns in one session', () => {
  test('are one after the other, in the order in which they were asked for', async () => {
    const { api, id, log } = await listening()
    await Promise.all(
      ['first', 'second', 'third'].map(text => api.call('POST', `/session/${id}/prompt_async`, said(text))),
    )
    await log.untilIdle(3)
    expect(log.of('session.status').map(({ status }) => status.type)).toEqual(Array(3).fill(['busy', 'idle']).flat())
    expect(await textsOf(api, id, 'user')).toEqual(['first', 'second', 'third'])
    expect(await textsOf(api, id, 'assistant')).toEqual(['first', 'second', 'third'])
  })

  test('wait in a line that has an end', async () => {
    const { api, id } = await listening()
    const answers: number[] = []
    for (let count = 0; count < MAX_QUEUED_TURNS + 2; count++)
      answers.push((await api.call('POST', `/session/${id}/prompt_async`, said('slow'))).status)
    expect(answers.filter(status => status === 204)).toHaveLength(MAX_QUEUED_TURNS + 1)
    expect(answers.at(-1)).toBe(409)
    await api.post(`/session/${id}/abort`)
  })

  test('are cancelled: the one that runs ends as aborted, those that wait are sent before the next', async () => {
    const { api, id, log } = await listening()
    const running = api.prompt(id, 'slow')
    await log.until(({ type }) => type === 'message.part.delta')
    const waiting = api.prompt(id, 'kept', { messageID: 'msg_kept' })
    await log.until(event => event.type === 'message.updated' && event.properties.info.id === 'msg_kept')
    expect(await api.get(`/session/${id}/message/msg_kept`)).toMatchObject({
      info: { role: 'user', queued: true },
      parts: [{ type: 'text', text: 'kept' }],
    })
    await api.post(`/session/${id}/abort`)
    expect((await running)?.info.error).toMatchObject({ name: 'MessageAbortedError' })
    expect((await waiting)?.info).toMatchObject({ error: { name: 'MessageAbortedError' } })
    await log.untilIdle()
    expect(await api.get('/session/status')).toMatchObject({ [id]: { type: 'idle' } })
    expect((await api.get<Prompted>(`/session/${id}/message/msg_kept`)).info).toMatchObject({ queued: true })
    await api.prompt(id, 'next')
    expect((await api.get<Prompted>(`/session/${id}/message/msg_kept`)).info).not.toHaveProperty('queued')
    expect(await textsOf(api, id, 'user')).toEqual(['slow', 'kept', 'next'])
    expect((await textsOf(api, id, 'assistant')).slice(-2)).toEqual(['kept', 'next'])
  })
})

test('a message whose agent does not start is in the session, with the error', async () => {
  const { api, id } = await listening()
  await api.prompt(id, 'hello', { agent: 'absent', messageID: 'msg_mine' })
  expect(await api.get(`/session/${id}/message`)).toMatchObject([
    { info: { id: 'msg_mine', role: 'user' }, parts: [{ text: 'hello' }] },
    {
      info: {
        role: 'assistant',
        parentID: 'msg_mine',
        error: { data: { message: expect.stringContaining('not installed') } },
      },
    },
  ])
  expect((await api.prompt(id, 'again', { agent: 'mock' })).parts, 'another agent can be chosen').toMatchObject([
    {},
    { text: 'again' },
    {},
  ])
  expect(await textsOf(api, id, 'assistant')).toEqual(['again'])
})

test('a copy of a session does not have what waits in the original, and has the answer before it', async () => {
  const { api, id, log } = await listening()
  await api.prompt(id, 'first')
  const running = api.prompt(id, 'stream 30')
  await log.until(event => event.type === 'message.part.delta' && event.properties.delta.includes('word'))
  await api.call('POST', `/session/${id}/prompt_async`, { ...said('second'), messageID: 'msg_second' })
  await running
  await log.until(event => event.type === 'message.updated' && event.properties.info.id === 'msg_second_assistant')
  await log.untilIdle(3)
  const { id: copy } = await api.post<{ id: string }>(`/session/${id}/fork`, { messageID: 'msg_second' })
  expect(await textsOf(api, copy, 'user')).toEqual(['first', 'stream 30'])
  expect((await textsOf(api, copy, 'assistant')).at(-1)).toContain('word30')
})

test('a turn whose agent does not come up is cancelled like any other', async () => {
  const { api, id, log } = await listening(await openApi({ flags: ['--fault', 'silent-initialize'] }))
  const turn = api.prompt(id, 'hello')
  const { store } = api.talk
  const agentPid = async () => (await store.listOpenConnections())[0]?.process?.pid
  await expect.poll(agentPid).toBeDefined()
  const toast = await log.until(({ type }) => type === 'tui.toast.show')
  expect(toast.properties, 'what is done meanwhile').toMatchObject({
    message: expect.stringMatching(/^Starting mock… \d+ s of at most \d+ s$/),
  })
  await api.post(`/session/${id}/abort`)
  expect((await turn).info.error).toMatchObject({ name: 'MessageAbortedError' })
  await log.untilIdle()
  expect(log.of('session.error')).toHaveLength(1)
  const pid = await agentPid()
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
})

test('a session that does nothing is cancelled without harm', async () => {
  const { api, id } = await listening()
  expect(await api.post(`/session/${id}/abort`)).toBe(true)
})

test('a running turn is busy in the list of statuses as soon as that is published', async () => {
  const { api, id, log } = await listening()
  const turn = api.prompt(id, 'hello')
  await log.until(({ type }) => type === 'session.status')
  expect(await api.get('/session/status')).toMatchObject({ [id]: { type: 'busy' } })
  await turn
  expect(await api.get('/session/status')).toMatchObject({ [id]: { type: 'idle' } })
})

function said(text: string): object {
  return { parts: [{ type: 'text', text }] }
}

async function textsOf(api: TestApi, id: string, role: string): Promise<(string | undefined)[]> {
  const messages = await api.get<Prompted[]>(`/session/${id}/message`)
  return messages
    .filter(({ info }) => info.role === role)
    .flatMap(({ parts }) => parts.filter(({ type }) => type === 'text').map(({ text }) => text))
}
