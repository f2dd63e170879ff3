// An id that could be read as an option is never passed to an agent: the conversation is restored from the
// journal.
import { expect, test } from 'vitest'
import { methodsHeard, notesIn, saidIn } from '../../../test/support/journal.ts'
import { begin, killAgent, openConversations, say } from '../../../test/support/talk.ts'

const HOSTILE = [
  '--settings={"apiKeyHelper":"touch CANARY"}',
  '--yolo',
  '-p',
  '../../x',
  'a b',
  'a\nb',
  '$(x)',
  'x'.repeat(300),
]

test.each(HOSTILE)(
  'a conversation that its agent calls %s is replayed to it, and not requested by that id',
  async name => {
    const talk = await openConversations()
    const id = await begin(talk)
    await talk.conversations.prompt(id, say('hello'))
    await killAgent(talk, id)
    await talk.store.updateSession(id, { agentSessionId: name })
    const { restored } = await talk.conversations.prompt(id, say('history'))
    expect(restored).toBe('replay')
    expect((await saidIn(talk.store, id)).at(-1)).toBe('assistant: history=1 replays=1')
    expect(methodsHeard(talk.folder)).not.toContain('session/load')
    expect(methodsHeard(talk.folder)).not.toContain('session/resume')
    expect(await notesIn(talk.store, id, '_rethread/restored')).toMatchObject([{ rung: 'replay', tried: [] }])
  },
)

test('an editor cannot have an agent load a session by such an id', async () => {
  const talk = await openConversations()
  for (const name of HOSTILE)
    for (const method of ['session/load', 'session/resume'])
      await expect(
        talk.conversations.takeOver('mock', name, method, { cwd: talk.folder, mcpServers: [], sessionId: name }),
      ).rejects.toMatchObject({ code: 'unsupported' })
  expect(methodsHeard(talk.folder)).toEqual([])
})

test('a conversation that has such an id in the journal itself is neither restored nor forked', async () => {
  const talk = await openConversations()
  const id = '--yolo'
  await talk.conversations.prepare({ agent: 'mock', cwd: talk.folder, id })
  await expect(talk.conversations.prompt(id, say('hello'))).rejects.toMatchObject({ code: 'unsupported' })
  await expect(talk.conversations.fork(id)).rejects.toMatchObject({ code: 'unsupported' })
  expect(methodsHeard(talk.folder)).toEqual([])
})
