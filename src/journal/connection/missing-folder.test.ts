// A session may name a folder that does not exist: its agent gets that folder, and starts in another one.
import { expect, test } from 'vitest'
import { heardBy } from '../../../test/support/journal.ts'
import { openConversations, say } from '../../../test/support/talk.ts'

test('an agent starts although the folder of its session is gone, and gets that folder', async () => {
  const { conversations, folder } = await openConversations()
  const { session } = await conversations.create({ agent: 'mock', cwd: '/not/there' })
  await conversations.prompt(session.id, say('hello'))
  expect(session.cwd).toBe('/not/there')
  const begun = heardBy(folder).find(({ method }) => method === 'session/new')
  expect(begun?.['params']).toMatchObject({ cwd: '/not/there' })
})
