// The agent's own file is damaged: it is repaired before the agent is trusted with it.
import { expect, test } from 'vitest'
import { methodsHeard, notesIn, saidIn } from '../../../test/support/journal.ts'
import { begin, NO_CARE, openConversations, reopen, say } from '../../../test/support/talk.ts'
import type { AgentFileRepair, AgentFiles } from './agent-files-interface.ts'

const REPAIRED: AgentFileRepair = { status: 'repaired', text: 'It loads 4 messages now.', receipt: 'r1' }

async function restoreWith(agentFiles: Partial<AgentFiles>, flags: readonly string[] = []) {
  const first = await openConversations()
  const id = await begin(first)
  await first.conversations.prompt(id, say('hello'))
  const talk = await reopen(first, { flags, agentFiles: { ...NO_CARE, ...agentFiles } })
  const { restored } = await talk.conversations.prompt(id, say('history'))
  const [note] = await notesIn(talk.store, id, '_rethread/restored')
  return { talk, id, restored, note }
}

test('a session with damage is not resumed or loaded as it is, but repaired and then loaded', async () => {
  const asked: string[] = []
  const { talk, id, restored, note } = await restoreWith({
    check: async () => 'damaged',
    repair: async (agent, agentSessionId) => {
      asked.push(`${agent} ${agentSessionId}`)
      return REPAIRED
    },
  })
  const { agentSessionId } = await talk.conversations.get(id)
  expect(restored).toBe('repair')
  expect(asked).toEqual([`mock ${agentSessionId}`])
  expect(note).toMatchObject({ rung: 'repair', tried: [], receipt: 'r1', text: expect.stringMatching(/^It loads 4/) })
  expect(methodsHeard(talk.folder)).not.toContain('session/resume')
  expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: history=3 replays=0')
})

test('an agent that can only resume resumes the repaired session', async () => {
  const agentFiles = { check: async () => 'damaged', repair: async () => REPAIRED } satisfies Partial<AgentFiles>
  const { talk, restored } = await restoreWith(agentFiles, ['--without', 'load'])
  expect(restored).toBe('repair')
  expect(methodsHeard(talk.folder)).toContain('session/resume')
})

test('an agent that refuses what seemed healthy is asked again after a repair', async () => {
  const { restored, note } = await restoreWith({ repair: async () => REPAIRED }, [
    '--without',
    'resume',
    '--fault',
    'refuse-load',
    '--fault-once',
    `${process.env['HOME']}/refused-once`,
  ])
  expect(restored).toBe('repair')
  expect(note?.tried).toEqual([{ rung: 'load', why: expect.stringContaining('refuse-load') }])
})

test('what cannot be repaired is replayed, and it is said why', async () => {
  const text = 'Another program is writing to it.'
  const { restored, note } = await restoreWith({
    check: async () => 'damaged',
    repair: async () => ({ status: 'failed', text }),
  })
  expect(restored).toBe('replay')
  expect(note?.tried).toEqual([{ rung: 'repair', why: text }])
})
