// What the description of the API says of a few routes is what they send and accept.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { MAX_TAGS } from '../../src/model/label.ts'
import { exportedSchema, searchPageSchema, sessionDetailSchema, sessionsPageSchema } from '../../src/server/api.ts'
import { putConversation, sessionId } from '../support/conversations.ts'
import { shareStage } from '../support/server.ts'

const stage = shareStage(home => {
  putConversation(home, 1)
  putConversation(home, 2, { brokenAt: 9 })
})

/** What is at this place of the description. */
async function describedAt(...place: string[]): Promise<unknown> {
  const whole = await stage().get('/api/openapi.json', z.unknown())
  return place.reduce<unknown>((value, name) => z.looseObject({ [name]: z.unknown() }).parse(value)[name], whole)
}

const answer = (path: string) => ['paths', path, 'get', 'responses', '200', 'content']

test('a mark of a search is described as two numbers', async () => {
  const inList = (name: string) => ['properties', name, 'items']
  const place = ['results', 'matches', 'marks'].flatMap(inList)
  expect(await describedAt(...answer('/api/search'), 'application/json', 'schema', ...place)).toEqual({
    type: 'array',
    items: { type: 'number' },
    minItems: 2,
    maxItems: 2,
  })
})

test('an export as JSON is described as an object, and has its shape, redacted or not', async () => {
  const content = await describedAt(...answer('/api/sessions/{key}/export'))
  expect(content).toMatchObject({
    'text/markdown': { schema: { type: 'string' } },
    'text/html': { schema: { type: 'string' } },
    'application/json': { schema: { type: 'object', properties: { messages: { type: 'array' } } } },
  })
  for (const n of [1, 2])
    for (const redact of ['yes', 'no']) {
      const path = `/api/sessions/${stage().key(sessionId(n))}/export?format=json&redact=${redact}`
      const exported = await stage().get(path, exportedSchema)
      expect(exported.messages.every(({ at }) => (at === undefined) === (redact === 'yes'))).toBe(true)
      expect(exported).toMatchObject({ isComplete: true, messages: { length: 10 } })
    }
})

test('a time in a query may have any offset, as its format says', async () => {
  for (const [since, total] of [
    ['2000-01-01T00:00:00Z', 2],
    ['3003-06-19T17:50:01.0+06:09', 0],
  ] as const) {
    const query = `since=${encodeURIComponent(since)}`
    expect((await stage().get(`/api/sessions?${query}`, sessionsPageSchema)).total).toBe(total)
    await stage().get(`/api/search?text=a&${query}`, searchPageSchema)
  }
})

test('names and tags that the description forbids are refused, and the most tags that it allows are accepted', async () => {
  const body = ['paths', '/api/sessions/{key}/label', 'post', 'requestBody', 'content', 'application/json', 'schema']
  expect(await describedAt(...body, 'properties')).toMatchObject({
    name: { minLength: 1 },
    tags: { maxItems: MAX_TAGS, items: { minLength: 1 } },
  })
  const path = `/api/sessions/${stage().key(sessionId(1))}/label`
  const tags = Array.from({ length: MAX_TAGS }, (_, n) => `tag-${n}`)
  for (const wrong of [{ name: '' }, { tags: [''] }, { tags: [...tags, 'one-more'] }]) {
    const { status, text } = await stage().post(path, wrong)
    expect(status, text).toBe(400)
  }
  const accepted = await stage().post(path, { name: 'A name', tags })
  expect(accepted.as(sessionDetailSchema)).toMatchObject({ title: 'A name', tags: tags.toSorted() })
})
