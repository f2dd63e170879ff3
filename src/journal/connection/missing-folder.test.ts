// A session may name a folder that is not there: its agent is told of it, and starts elsewhere.
import { expect, test } from 'vitest'
import { heardBy } from '../../../test/support/journal.ts'
import { openTalk, say } from '../../../test/support/talk.ts'

test('an agent starts although the folder of its session is gone, and is told that folder', async () => {
  const { conversations, folder } = await openTalk()
  const { session } = await conversations.create({ agent: 'mock', cwd: '/not/there' })
  await conversations.prompt(session.id, say('hello'))
  expect(session.cwd).toBe('/not/there')
  const begun = heardBy(folder).find(({ method }) => method === 'session/new')
  expect(begun?.['params']).toMatchObject({ cwd: '/not/there' })
})
