// What agents ask, and how clients answer.
import { describe, expect, test } from 'vitest'
import { shareApi } from '../../../test/support/opencode-api.ts'
import type { PermissionRequest, QuestionRequest } from '../shapes/request.ts'

const shared = shareApi()

async function asking(text: string, path: '/permission' | '/question') {
  const api = shared()
  const id = await api.begin()
  const log = await api.listen(id)
  const { info, parts } = await api.prompt(id, text, { messageID: 'msg_mine' })
  const waiting = await api.get<(PermissionRequest | QuestionRequest)[]>(path)
  const asked = waiting.filter(({ sessionID }) => sessionID === id)
  return { api, id, log, info, parts, asked, request: asked[0]?.id ?? '' }
}

describe('a permission', () => {
  test('that is asked for is the answer for now', async () => {
    const { api, id, log, info, parts, asked } = await asking('permission', '/permission')
    expect(info.id).toBe('msg_mine_pending')
    expect(parts).toEqual([])
    expect(asked).toMatchObject([{ id: expect.stringMatching(/^per_/), permission: 'bash' }])
    await api.post(`/session/${id}/abort`)
    await log.untilIdle()
    expect(await api.get('/permission')).toEqual([])
  })

  test('of an agent that is not built in is waited for: the answer is that of the whole turn', async () => {
    const api = shared()
    const id = await api.begin({ agent: 'other' })
    const log = await api.listen(id)
    const turn = api.prompt(id, 'permission', { messageID: 'msg_mine' })
    const asked = await log.until(({ type }) => type === 'permission.asked')
    if (asked.type !== 'permission.asked') throw new Error('nothing was asked')
    await api.post(`/permission/${asked.properties.id}/reply`, { reply: 'once' })
    const { info, parts } = await turn
    expect(info).toMatchObject({ id: 'msg_mine_assistant', finish: 'stop' })
    expect(parts).toMatchObject([{}, { type: 'tool', tool: 'bash', state: { status: 'completed' } }, {}])
    expect(log.types().at(-1), 'heard before the answer came').toBe('session.idle')
  })

  test.each(['once', 'always', 'reject'] as const)('is answered with %s, reported, and the turn ends', async reply => {
    const { api, log, request } = await asking('permission', '/permission')
    expect(await api.post(`/permission/${request}/reply`, { reply })).toBe(true)
    await log.untilIdle()
    expect(log.of('permission.replied')).toMatchObject([{ requestID: request, reply }])
    expect(log.types().indexOf('permission.replied')).toBeLessThan(log.types().indexOf('session.idle'))
    expect(await api.call('POST', `/permission/${request}/reply`, { reply })).toMatchObject({ status: 404 })
  })

  test.each([
    ['allow', 'once'],
    ['deny', 'reject'],
    ['always', 'always'],
    ['once', 'once'],
    ['reject', 'reject'],
    ['sure', 'once'],
  ])('is answered in its session with the word %s, which means %s', async (response, reply) => {
    const { api, id, log, request } = await asking('permission', '/permission')
    expect(await api.post(`/session/${id}/permissions/${request}`, { response })).toBe(true)
    await log.untilIdle()
    expect(log.of('permission.replied')).toMatchObject([{ requestID: request, reply }])
  })

  test('is not answered by way of another session, and not with a word that means nothing', async () => {
    const { api, id, request } = await asking('permission', '/permission')
    const other = await api.begin()
    const answer = { response: 'allow' }
    expect(await api.call('POST', `/session/${other}/permissions/${request}`, answer)).toMatchObject({ status: 404 })
    expect(await api.call('POST', `/permission/${request}/reply`, { reply: 'maybe' })).toMatchObject({ status: 400 })
    expect(await api.get<unknown[]>('/permission')).toHaveLength(1)
    await api.post(`/session/${id}/abort`)
  })

  test('that differs from the one with the "always" is left to a person', async () => {
    const { api, id, log, request } = await asking('permission: ls', '/permission')
    await api.post(`/permission/${request}/reply`, { reply: 'always' })
    await log.untilIdle()
    for (const text of ['permission: rm -rf build', 'permission to edit a.txt']) {
      const { info } = await api.prompt(id, text)
      expect(info.id, text).toMatch(/_pending$/)
      const [open] = (await api.get<PermissionRequest[]>('/permission')).filter(({ sessionID }) => sessionID === id)
      await api.post(`/permission/${open?.id}/reply`, { reply: 'reject' })
    }
    const { info } = await api.prompt(id, 'permission: ls')
    expect(info.id).not.toMatch(/_pending$/)
  })

  test('is granted automatically after one "always", in that session alone', async () => {
    const { api, id, log, request } = await asking('permission', '/permission')
    await api.post(`/permission/${request}/reply`, { reply: 'always' })
    await log.untilIdle()
    const { info } = await api.prompt(id, 'permission')
    expect(info.id).not.toMatch(/_pending$/)
    await log.untilIdle(2)
    expect(log.of('permission.asked')).toHaveLength(2)
    const [, second] = log.of('permission.replied')
    expect(second).toMatchObject({ reply: 'always', requestID: log.of('permission.asked')[1]?.id })
    const elsewhere = await asking('permission', '/permission')
    expect(elsewhere.info.id).toMatch(/_pending$/)
    await api.post(`/session/${elsewhere.id}/abort`)
  })
})

describe('a question', () => {
  test('is answered and published, and the turn ends', async () => {
    const { api, log, info, asked, request } = await asking('question', '/question')
    expect(info.id).toBe('msg_mine_pending')
    expect(asked).toMatchObject([
      { id: expect.stringMatching(/^que_/), questions: [{ question: 'Choose one option' }] },
    ])
    expect(await api.call('POST', `/question/${request}/reply`, { answers: [['Perhaps']] })).toMatchObject({
      status: 400,
    })
    expect(await api.post(`/question/${request}/reply`, { answers: [['Yes']] })).toBe(true)
    await log.untilIdle()
    expect(log.of('question.replied')).toMatchObject([{ requestID: request, answers: [['Yes']] }])
    expect(await api.get('/question')).toEqual([])
  })

  test('is rejected and published, and the turn ends', async () => {
    const { api, log, request } = await asking('question', '/question')
    expect(await api.post(`/question/${request}/reject`)).toBe(true)
    await log.untilIdle()
    expect(log.of('question.rejected')).toMatchObject([{ requestID: request }])
    expect(await api.call('POST', `/question/${request}/reject`)).toMatchObject({ status: 404 })
  })
})
