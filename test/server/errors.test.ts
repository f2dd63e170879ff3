// What goes wrong is said as {code, text, hint}, with the status of the table.
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { apiErrorSchema, messagesPageSchema, sessionsPageSchema } from '../../src/server/api.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import type { ServerStage } from '../support/server.ts'
import { shareStage } from '../support/server.ts'

const gone: string[] = []
const stage = shareStage(home => {
  putConversation(home, 1, { messages: 120 })
  for (const n of [2, 3, 4, 5, 6, 7]) gone.push(putConversation(home, n).file)
})

const key = (n: number): string => stage().key(sessionId(n))

async function expectError(answer: ReturnType<ServerStage['ask']>, status: number, code: string): Promise<void> {
  const { status: given, as, text } = await answer
  expect(given, text).toBe(status)
  expect(as(apiErrorSchema)).toMatchObject({ code })
}

describe('a request that does not fit', () => {
  test.each([
    '/api/sessions?limit=0',
    '/api/sessions?limit=many',
    '/api/sessions?sort=colour',
    '/api/sessions?since=yesterday',
    `/api/sessions?text=${'x'.repeat(201)}`,
    '/api/sessions?cursor=nonsense',
    '/api/sessions?cursor=AAAA%00',
  ])('%s', async path => await expectError(stage().ask(path), 400, 'usage'))

  test.each([
    'messages?limit=100000',
    'messages?around=-1',
    'messages/minus',
    'messages/-1',
    'messages/1.5/record',
    'bytes?start=a',
    'bytes',
  ])('of a session: %s', async path => await expectError(stage().ask(`/api/sessions/${key(1)}/${path}`), 400, 'usage'))

  test.each(['{', '[]', '{"force":"yes"}', 'null', ''])('body %j', async body => {
    const asked = stage().ask(`/api/sessions/${key(1)}/repair`, { method: 'POST', body })
    await expectError(asked, 400, 'usage')
  })

  test('a cursor of a list in another order', async () => {
    const first = await stage().get('/api/sessions?limit=1', sessionsPageSchema)
    await expectError(stage().ask(`/api/sessions?sort=size&cursor=${first.nextCursor}`), 400, 'usage')
  })
})

describe('what is not there', () => {
  test.each(['', '/messages', '/messages/0', '/messages/0/record', '/bytes?start=0&end=1', '/health', '/plan'])(
    'an unknown session%s',
    async what => await expectError(stage().ask(`/api/sessions/nobody${what}`), 404, 'session-not-found'),
  )

  test.each(['repair', 'undo'])('%s of an unknown session', async what => {
    await expectError(stage().post(`/api/sessions/nobody/${what}`), 404, 'session-not-found')
  })

  test('a message after the last', async () => {
    await expectError(stage().ask(`/api/sessions/${key(1)}/messages/120`), 404, 'not-found')
  })

  test('an unknown repair', async () => {
    await expectError(stage().ask('/api/receipts/unknown/backup'), 404, 'no-receipt')
  })

  test('an unknown route, and a known one with another method', async () => {
    await expectError(stage().ask('/api/colours'), 404, 'not-found')
    await expectError(stage().post('/api/sessions'), 405, 'usage')
    expect((await stage().post('/api/sessions')).headers.allow).toBe('GET, HEAD')
    await expectError(stage().ask('/api/conversations/x', { method: 'PATCH' }), 405, 'usage')
    expect((await stage().ask('/api/conversations/x', { method: 'OPTIONS' })).headers.allow).toBe('GET, DELETE, HEAD')
  })

  test('a session whose file has vanished', async () => {
    const [health, messages, repaired] = [key(2), key(3), key(4)]
    for (const file of gone.slice(0, 3)) rmSync(file)
    const answer = await stage().ask(`/api/sessions/${health}/health`)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('"status":"missing"')
    await expectError(stage().ask(`/api/sessions/${messages}/messages`), 404, 'session-not-found')
    await expectError(stage().post(`/api/sessions/${repaired}/repair`), 404, 'session-not-found')
  })

  describe.each(['before', 'after'])('%s the stores were looked at again', when => {
    const look = async () => void (when === 'after' && (await stage().server.services.sessions.refresh()))

    test('a file that has vanished is missing, and there again once it is put back', async () => {
      const [gone, { file }] = [key(6), putConversation(stage().home, 6)]
      rmSync(file)
      await look()
      const { status, text } = await stage().ask(`/api/sessions/${gone}/messages`)
      expect({ status, text }).toEqual({ status: 404, text: expect.stringContaining(`${file} does not exist`) })
      putConversation(stage().home, 6)
      expect((await stage().ask(`/api/sessions/${gone}/health`)).text).toContain('"status":"healthy"')
      expect((await stage().ask(`/api/sessions/${gone}/messages`)).status).toBe(200)
    })

    test('a directory in the place of a file is said to be one', async () => {
      const [taken, { file }] = [key(7), putConversation(stage().home, 7)]
      rmSync(file)
      mkdirSync(file)
      await look()
      await expectError(stage().ask(`/api/sessions/${taken}/messages`), 422, 'is-a-directory')
      rmSync(file, { recursive: true })
      putConversation(stage().home, 7)
      expect((await stage().ask(`/api/sessions/${taken}`)).status).toBe(200)
    })
  })
})

// The super-user is refused nothing.
test.skipIf(process.getuid?.() === 0)(
  'a file that may not be read is an error, and no empty conversation',
  async () => {
    chmodSync(gone[3] ?? '', 0o000)
    await expectError(stage().ask(`/api/sessions/${key(5)}/messages`), 403, 'permission-denied')
  },
)

describe('pages of messages', () => {
  const page = (query: string) => stage().get(`/api/sessions/${key(1)}/messages${query}`, messagesPageSchema)

  test('from the end, unless asked otherwise', async () => {
    const last = await page('?limit=20')
    expect(last).toMatchObject({ from: 100, total: 120, isComplete: true })
    expect(last.messages.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, n) => 100 + n))
  })

  test('one after the other give every message once', async () => {
    const seen: string[] = []
    for (let from = 0; from < 120; from += 50)
      seen.push(...(await page(`?from=${from}&limit=50`)).messages.map(({ id }) => id))
    expect(new Set(seen).size).toBe(120)
    expect(seen.length).toBe(120)
  })

  test('around a byte of the file', async () => {
    const [wanted] = (await page('?from=60&limit=1')).messages
    if (wanted === undefined || !('start' in wanted.at)) throw new Error('It has no place.')
    const around = await page(`?around=${wanted.at.start + 5}&limit=10`)
    expect(around.messages.map(({ index }) => index)).toContain(60)
    expect(around.messages).toHaveLength(10)
  })
})
