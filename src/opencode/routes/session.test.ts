// Sessions over the API, in a journal of their own.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runSql } from '../../../test/support/database.ts'
import { temporaryHome } from '../../../test/support/home.ts'
import { openApi, type Prompted, shareApi, startApi } from '../../../test/support/opencode-api.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Session } from '../shapes/session.ts'

const MODEL_FIXED =
  'OpenCode compatibility currently does not support changing the model after creating a session. Export with /export and load in to a new session.'
const shared = shareApi()

describe('a session', () => {
  test('is created with a title, or with one made of its time', async () => {
    const api = shared()
    expect(await api.post('/session', { title: 'Mine' })).toMatchObject({ title: 'Mine', agent: 'mock', model: 'mock' })
    const { title, time, id } = await api.post<Session>('/session')
    expect(title).toBe(`New session - ${new Date(time.created).toISOString()}`)
    expect(id).toMatch(/^ses_/)
  })

  test('is named after its first message, unless a person named it', async () => {
    const api = shared()
    const id = await api.begin()
    const log = await api.listen(id)
    await api.prompt(id, `\n  Rename   the status column.\nAnd more. ${'x'.repeat(100)}`)
    expect(log.of('session.updated')[0]?.info.title).toBe('Rename the status column.')
    await api.prompt(id, 'second')
    const listed = await api.get<Session[]>('/session')
    expect(listed.find(session => session.id === id)?.title).toBe('Rename the status column.')
    const named = await api.begin({ title: 'Mine' })
    await api.prompt(named, 'hello')
    expect(await api.get(`/session/${named}`)).toMatchObject({ title: 'Mine' })
  })

  test.each(['share', 'revert', 'unrevert', 'shell'])('shows the person why %s is refused', async action => {
    const api = shared()
    const id = await api.begin()
    const log = await api.listen()
    const refused = await api.call('POST', `/session/${id}/${action}`, {})
    expect(refused).toMatchObject({ status: 501, body: { name: 'NotSupportedError' } })
    const toast = await log.until(({ type }) => type === 'tui.toast.show')
    const { message } = (refused.body as { data: { message: string } }).data
    expect(toast.properties).toMatchObject({ variant: 'warning', message: expect.stringContaining(message) })
  })

  test('is published, listed with its settings, and gone when deleted', async () => {
    const api = shared()
    const log = await api.listen()
    const [first, second] = [
      await api.begin({ permissionMode: 'bypass' }),
      await api.begin({ permission_mode: 'plan' }),
    ]
    await api.call('DELETE', `/session/${first}`)
    await log.until(({ type }) => type === 'session.deleted')
    expect(log.types().filter(type => type.startsWith('session.'))).toEqual([
      'session.created',
      'session.created',
      'session.deleted',
    ])
    const listed = await api.get<Session[]>('/session')
    expect(listed.find(({ id }) => id === second)).toMatchObject({ permissionMode: 'plan' })
    expect(listed.some(({ id }) => id === first)).toBe(false)
    expect(await api.call('GET', `/session/${first}`)).toMatchObject({ status: 404, body: { name: 'NotFoundError' } })
    expect(await api.call('POST', `/session/${first}/init`)).toMatchObject({ status: 404 })
  })

  test('works in the folder that its client names, and is listed for that folder', async () => {
    const api = shared()
    const { id, directory } = await api.post<Session>(`/session?directory=${encodeURIComponent('/elsewhere/a')}`)
    expect(directory).toBe('/elsewhere/a')
    expect((await api.get<Session[]>('/session?directory=/elsewhere')).map(session => session.id)).toEqual([id])
    expect(await api.call('POST', '/session?directory=not/whole')).toMatchObject({ status: 400 })
  })

  test('is changed: its title, what its client keeps with it, and that it is put away', async () => {
    const api = shared()
    const id = await api.begin({ title: 'Before' })
    const change = { title: 'After', metadata: { colour: 'red' }, time: { archived: 5 } }
    expect(await api.call('PATCH', `/session/${id}`, change)).toMatchObject({ status: 200 })
    expect(await api.get(`/session/${id}`)).toMatchObject({
      title: 'After',
      metadata: { colour: 'red' },
      time: { archived: 5 },
    })
  })
})

describe('the model of a session', () => {
  test('is set with init, also of a session that begins with it, under whatever id', async () => {
    const api = shared()
    expect(await api.post('/session/mine-1/init', { providerID: 'absent', modelID: 'default', messageID: 'm' })).toBe(
      true,
    )
    const [found] = (await api.get<Session[]>('/session')).filter(({ id }) => id === 'mine-1')
    expect(found).toMatchObject({ agent: 'absent', model: 'default' })
    expect(await api.get('/session/mine-1')).toMatchObject({ id: 'mine-1' })
    expect(await api.post('/session/mine-1/init', { providerID: 'mock', modelID: 'mock' })).toBe(true)
    expect((await api.prompt('mine-1', 'hello')).info).toMatchObject({ sessionID: 'mine-1', providerID: 'mock' })
  })

  test('is refused with one half only, and for an unknown provider', async () => {
    const api = shared()
    const id = await api.begin()
    for (const body of [{ providerID: 'mock' }, { modelID: 'mock' }, { providerID: 'nobody', modelID: 'x' }])
      expect(await api.call('POST', `/session/${id}/init`, body)).toMatchObject({ status: 400 })
  })

  test('is fixed from the first message on', async () => {
    const api = shared()
    const id = await api.begin()
    await api.prompt(id, 'hello', { model: { providerID: 'mock', modelID: 'mock' } })
    const refused = { status: 400, body: { errors: [{ message: MODEL_FIXED }], data: { message: MODEL_FIXED } } }
    const other = { providerID: 'absent', modelID: 'default' }
    expect(await api.call('POST', `/session/${id}/init`, other)).toMatchObject(refused)
    const said = { model: other, parts: [{ type: 'text', text: 'x' }] }
    expect(await api.call('POST', `/session/${id}/message`, said)).toMatchObject(refused)
    expect(await api.call('POST', `/session/${id}/prompt_async`, said)).toMatchObject(refused)
    for (const body of [other, { provider_id: 'mock' }, { modelId: 'mock' }])
      expect(await api.call('PATCH', `/session/${id}`, body)).toMatchObject(refused)
    expect((await api.prompt(id, 'again')).info).toMatchObject({ providerID: 'mock' })
  })

  test('that the agent does not offer makes the turn fail', async () => {
    const api = shared()
    const { info } = await api.prompt(await api.begin(), 'hello', { model: { providerID: 'mock', modelID: 'other' } })
    expect(info).toMatchObject({ id: expect.stringMatching(/_error$/), modelID: 'other' })
    expect(info.error).toMatchObject({
      data: { message: expect.stringMatching(/^The agent does not offer the model other\. \S/) },
    })
  })
})

describe('a fork', () => {
  test('has the history, its parent, and continues independently', async () => {
    const api = shared()
    const id = await api.begin({ title: 'Original' })
    await api.prompt(id, 'first')
    const child = await api.post<Session>(`/session/${id}/fork`)
    expect(child).toMatchObject({ parentID: id, title: 'Original (fork #1)' })
    await api.prompt(child.id, 'second')
    expect(await api.get<unknown[]>(`/session/${child.id}/message`)).toHaveLength(4)
    expect(await api.get<unknown[]>(`/session/${id}/message`)).toHaveLength(2)
    expect((await api.get<Session[]>(`/session/${id}/children`)).map(session => session.id)).toEqual([child.id])
  })

  test('before a message has only the earlier messages', async () => {
    const api = shared()
    const id = await api.begin()
    await api.prompt(id, 'first')
    await api.prompt(id, 'second', { messageID: 'msg_second' })
    const child = await api.post<Session>(`/session/${id}/fork`, { messageID: 'msg_second' })
    expect(await api.get(`/session/${child.id}/message`)).toMatchObject([
      { parts: [{ text: 'first' }] },
      { info: { role: 'assistant' } },
    ])
    expect(await api.call('POST', `/session/${id}/fork`, { messageID: 'msg_nowhere' })).toMatchObject({ status: 404 })
  })

  test('of a session in which nothing was said is an empty one', async () => {
    const api = shared()
    const child = await api.post<Session>(`/session/${await api.begin()}/fork`)
    expect(await api.get(`/session/${child.id}/message`)).toEqual([])
  })
})

test('what no agent can do is refused with the reason', async () => {
  const api = shared()
  const id = await api.begin()
  for (const [method, path] of [
    ['POST', 'share'],
    ['DELETE', 'share'],
    ['POST', 'revert'],
    ['POST', 'unrevert'],
    ['POST', 'shell'],
    ['DELETE', 'message/m'],
    ['PATCH', 'message/m/part/p'],
    ['DELETE', 'message/m/part/p'],
  ] as const)
    expect(await api.call(method, `/session/${id}/${path}`, {}), path).toMatchObject({
      status: 501,
      body: { name: 'NotSupportedError', errors: [{ message: expect.stringMatching(/\w+/) }] },
    })
  const model = { providerID: 'mock', modelID: 'mock' }
  expect(await api.call('POST', `/session/${id}/summarize`, model)).toMatchObject({ status: 501 })
  expect(await api.call('POST', `/session/${id}/command`, { command: 'x', arguments: '' })).toMatchObject({
    status: 404,
  })
})

test('messages are listed by page, the oldest first', async () => {
  const api = shared()
  const id = await api.begin()
  for (const text of ['one', 'two']) await api.prompt(id, text, { messageID: `msg_${text}` })
  const idsOf = async (query: string) =>
    (await api.get<{ info: { id: string } }[]>(`/session/${id}/message${query}`)).map(({ info }) => info.id)
  expect(await idsOf('')).toEqual(['msg_one', 'msg_one_assistant', 'msg_two', 'msg_two_assistant'])
  expect(await idsOf('?limit=1')).toEqual(['msg_two_assistant'])
  expect(await idsOf('?limit=2&before=msg_two')).toEqual(['msg_one', 'msg_one_assistant'])
  expect(await api.call('GET', `/session/${id}/message/msg_nowhere`)).toMatchObject({ status: 404 })
  expect(await api.call('GET', `/session/nowhere/message`)).toMatchObject({ status: 404 })
})

test('a journal that cannot be opened is reported with every request, and tried again with the next', async () => {
  let isBroken = true
  const whole = await openApi()
  const { call } = await openApi({
    api: {
      open: async () => {
        if (isBroken) throw new RethreadError({ code: 'database-corrupt', text: 'It is torn.', hint: 'Repair it.' })
        return whole.talk
      },
    },
  })
  for (const path of ['/session', '/global/health', '/nowhere'])
    expect(await call('GET', path)).toMatchObject({
      status: 503,
      body: { name: 'ServiceUnavailableError', errors: [{ message: expect.stringContaining('It is torn.') }] },
    })
  isBroken = false
  expect(await call('GET', '/session')).toMatchObject({ status: 200 })
  expect(await call('GET', '/nowhere')).toMatchObject({ status: 404, body: { name: 'NotFoundError' } })
})

describe('a session with damage in the journal', () => {
  test('whose start parameters are damaged is listed, marked and continued', async () => {
    const folder = temporaryHome()
    const first = await startApi({ folder })
    const id = await first.api.begin({ title: 'Mine' })
    await first.api.prompt(id, 'hello')
    await first.close()
    const journal = join(folder, 'journal.sqlite')
    runSql(journal, "UPDATE sessions SET session_init_json = '{', cwd = x'ff' WHERE id = ?", [id])
    const api = await openApi({ folder })
    const [listed] = await api.get<Session[]>('/session')
    expect(listed).toMatchObject({ id, title: 'Mine', directory: api.folder })
    expect(listed?.metadata).toEqual({ 'rethread/rebuilt': ['cwd', 'session_init_json'] })
    expect((await api.prompt(id, 'again')).parts.some(({ text }) => text?.includes('again'))).toBe(true)
  })

  test('shows where events were lost, in one message for those in a row', async () => {
    const folder = temporaryHome()
    const first = await startApi({ folder })
    const id = await first.api.begin()
    await first.api.prompt(id, 'hello')
    await first.api.prompt(id, 'again')
    await first.close()
    const journal = join(folder, 'journal.sqlite')
    const prompts = runSql(journal, "SELECT seq FROM events WHERE session_id = ? AND kind = 'session/prompt'", [id])
    const at = Number(prompts[1]?.['seq'])
    runSql(journal, 'UPDATE events SET created_at = created_at + 1 WHERE session_id = ? AND seq BETWEEN ? AND ?', [
      id,
      at,
      at + 1,
    ])
    const api = await openApi({ folder })
    const messages = await api.get<Prompted[]>(`/session/${id}/message`)
    const marks = messages.flatMap(({ parts }) => parts).filter(({ text }) => text?.includes('left out') === true)
    expect(marks.map(({ text }) => text)).toEqual([
      `Events ${at} to ${at + 1} cannot be read: each has changed since it was written: its checksum does not match. They are left out.`,
    ])
  })

  test('that a crash cut off was last changed by the turn that was cut off', async () => {
    const folder = temporaryHome()
    const first = await startApi({ folder })
    const id = await first.api.begin()
    await first.api.prompt(id, 'hello')
    await first.close()
    const journal = join(folder, 'journal.sqlite')
    runSql(journal, "UPDATE opencode_session_metadata SET metadata_json = json_set(metadata_json, '$.updatedAt', 5)")
    const [last] = runSql(journal, 'SELECT max(created_at) AS at FROM events WHERE session_id = ?', [id])
    const api = await openApi({ folder })
    expect((await api.get<Session[]>('/session'))[0]?.time.updated).toBe(last?.['at'])
  })
})
