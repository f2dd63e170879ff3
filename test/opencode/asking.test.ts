// Permissions and questions through OpenCode's own clients: the newest answers by the request, the oldest by the session.
import { describe, expect, test } from 'vitest'
import { shareOpenCodeServer } from '../support/opencode-server.ts'
import { drivers, first, second } from './clients.ts'
import { Heard } from './heard-events.ts'

const server = shareOpenCodeServer()
const client = () => second(server().baseUrl)
const hear = async () => await Heard.by((drivers[2] ?? drivers[0])?.[1](server().baseUrl) as never)

async function ask(text: string) {
  const heard = await hear()
  const sessionID = (await client().session.create()).data?.id ?? ''
  const { data } = await client().session.prompt({ sessionID, parts: [{ type: 'text', text }] })
  return { heard, sessionID, answer: data }
}

const waitingIn = async (sessionID: string) =>
  ((await client().permission.list()).data ?? []).filter(request => request.sessionID === sessionID)

describe('a permission', () => {
  test.each(['once', 'always', 'reject'] as const)('is answered with %s', async reply => {
    const { heard, sessionID, answer } = await ask('permission')
    expect(answer).toMatchObject({ info: { id: expect.stringMatching(/_pending$/) }, parts: [] })
    const [request] = await waitingIn(sessionID)
    expect(request).toMatchObject({ id: expect.stringMatching(/^per_/), permission: 'bash' })
    const requestID = request?.id ?? ''
    expect((await client().permission.reply({ requestID, reply })).error).toBeUndefined()
    await heard.untilIdle(sessionID)
    const replied = heard.of(sessionID).find(({ type }) => type === 'permission.replied')
    expect(replied?.properties).toMatchObject({ requestID, reply })
    expect(await waitingIn(sessionID)).toEqual([])
  })

  test.each([
    ['allow', 'once'],
    ['deny', 'reject'],
    ['always', 'always'],
  ])('is answered in its session by an older client with %s', async (response, reply) => {
    const { heard, sessionID } = await ask('permission')
    const [request] = await waitingIn(sessionID)
    const answered = await first(server().baseUrl).postSessionIdPermissionsPermissionId({
      path: { id: sessionID, permissionID: request?.id ?? '' },
      // Newer than its types.
      body: { response: response as 'once' },
    })
    expect(answered.error).toBeUndefined()
    await heard.untilIdle(sessionID)
    const replied = heard.of(sessionID).find(({ type }) => type === 'permission.replied')
    expect(replied?.properties).toMatchObject({ reply })
  })

  test('granted for always is asked and granted by itself from then on', async () => {
    const { heard, sessionID } = await ask('permission')
    const [request] = await waitingIn(sessionID)
    await client().permission.reply({ requestID: request?.id ?? '', reply: 'always' })
    await heard.untilIdle(sessionID)
    await client().session.prompt({ sessionID, parts: [{ type: 'text', text: 'permission' }] })
    const replied = heard.of(sessionID).filter(({ type }) => type === 'permission.replied')
    expect(replied.map(({ properties }) => properties['reply'])).toEqual(['always', 'always'])
    expect(await waitingIn(sessionID)).toEqual([])
  })
})

describe('a question', () => {
  const questionIn = async (sessionID: string) =>
    ((await client().question.list()).data ?? []).find(question => question.sessionID === sessionID)

  test('is answered', async () => {
    const { heard, sessionID } = await ask('question')
    const asked = await questionIn(sessionID)
    expect(asked).toMatchObject({
      id: expect.stringMatching(/^que_/),
      questions: [{ question: 'Choose one option', header: 'Question', multiple: false }],
    })
    expect(asked?.questions[0]?.options.map(({ label }) => label)).toEqual(['Yes', 'No'])
    const requestID = asked?.id ?? ''
    expect((await client().question.reply({ requestID, answers: [['Yes']] })).error).toBeUndefined()
    await heard.untilIdle(sessionID)
    expect(heard.of(sessionID).find(({ type }) => type === 'question.replied')?.properties).toMatchObject({
      requestID,
      answers: [['Yes']],
    })
  })

  test('is put away', async () => {
    const { heard, sessionID } = await ask('question')
    const requestID = (await questionIn(sessionID))?.id ?? ''
    expect((await client().question.reject({ requestID })).error).toBeUndefined()
    await heard.untilIdle(sessionID)
    expect(heard.types(sessionID)).toContain('question.rejected')
  })
})
