// The search of the server: in all conversations, and in one.
import { expect, test } from 'vitest'
import { foundMessagesSchema, searchPageSchema } from '../../src/server/api.ts'
import { appendMessage, type Conversation, putConversation, sessionId } from '../support/conversations.ts'
import { ownStage } from '../support/server.ts'

test('finds conversations by what was said, in the background index, and the messages of one', async () => {
  let first: Conversation | undefined
  const stage = await ownStage(home => {
    first = putConversation(home, 1, { text: 'Where did the kettle go?' })
    putConversation(home, 2, { text: 'A lamp and nothing else' })
  })
  await stage.checked()
  const find = (query: string) => stage.get(`/api/search?${query}`, searchPageSchema)
  let page = await find('text=kettle')
  while (page.indexing !== null) {
    await new Promise(resolve => setTimeout(resolve, 20))
    page = await find('text=kettle')
  }
  expect(page.indexed).toEqual({ sessions: 2, behind: 0 })
  expect(page.results).toMatchObject([
    {
      key: stage.key(sessionId(1)),
      agent: 'claude-code',
      matches: [{ message: 1, snippet: 'Where did the kettle go?' }],
    },
  ])
  expect((await find('text=kett&typing=yes')).results).toHaveLength(1)
  expect((await find('text=kettle&role=assistant')).results).toHaveLength(0)
  expect((await find(`text=kettle&since=${encodeURIComponent(new Date().toISOString())}`)).results).toHaveLength(0)
  const inOne = (n: number, text: string) =>
    stage.get(`/api/sessions/${stage.key(sessionId(n))}/search?text=${text}`, foundMessagesSchema)
  expect(await inOne(1, 'kettle')).toEqual({ messages: [0], isMore: false })
  expect(await inOne(2, 'kettle')).toEqual({ messages: [], isMore: false })
  if (first !== undefined) appendMessage(first, 11, 'The spoon was never here')
  let spoon = await inOne(1, 'spoon')
  while (spoon.messages.length === 0) {
    await new Promise(resolve => setTimeout(resolve, 20))
    spoon = await inOne(1, 'spoon')
  }
  expect(spoon.messages).toEqual([10])
})

test('refuses what is no query', async () => {
  const stage = await ownStage(home => putConversation(home, 1))
  expect((await stage.ask('/api/search')).status).toBe(400)
  expect((await stage.ask('/api/search?text=a&role=judge')).status).toBe(400)
  expect((await stage.ask(`/api/search?text=${'a'.repeat(1001)}`)).status).toBe(400)
})
