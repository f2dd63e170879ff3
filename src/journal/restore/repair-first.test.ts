// There are agents that erase at their start what they cannot load, so a damaged session is repaired before.
import { expect, test } from 'vitest'
import { begin, NO_CARE, openConversations, reopen, say } from '../../../test/support/talk.ts'
import type { AgentFiles } from './agent-files-interface.ts'

test('a damaged session is repaired before its agent is started, and only once', async () => {
  const first = await openConversations()
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const running: number[] = []
  const agentFiles: AgentFiles = {
    ...NO_CARE,
    check: async () => 'damaged',
    repair: async () => {
      running.push((await second.store.listOpenConnections()).length)
      return { status: 'repaired', text: 'It loads 2 messages now.', receipt: 'r1' }
    },
  }
  const second = await reopen(first, { agentFiles })
  expect(await second.conversations.prompt(id, say('history'))).toMatchObject({ restored: 'repair' })
  expect(running).toEqual([0])
})
