// Where the repetition of a load ends.
import { expect, test } from 'vitest'
import { eventsIn } from '../../../test/support/journal.ts'
import { begin, killAgent, openConversations, say } from '../../../test/support/talk.ts'

/** Writes the history, the answer and the first news after it at once, as a fast agent does. */
const FAST_AGENT = `
let rest = ''
const tell = update => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'a', update } })
const text = (sessionUpdate, text) => tell({ sessionUpdate, content: { type: 'text', text } })
process.stdin.on('data', chunk => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    const results = {
      initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
      'session/new': { sessionId: 'a' },
      'session/prompt': { stopReason: 'end_turn' },
    }
    const answer = { jsonrpc: '2.0', id, result: results[method] ?? {} }
    const history = [text('user_message_chunk', 'hello'), text('agent_message_chunk', 'good day')]
    const news = tell({ sessionUpdate: 'available_commands_update', availableCommands: [] })
    const all = method === 'session/load' ? [...history, answer, news] : [answer]
    process.stdout.write(all.map(message => JSON.stringify(message) + '\\n').join(''))
  }
})
process.stdin.on('end', () => process.exit(0))
`

test('what comes with the answer is repetition, and what comes behind it is news', async () => {
  const args = ['-e', FAST_AGENT]
  const agent = (name: string) => ({ name, title: 'Fast', command: process.execPath, args, env: { NODE_OPTIONS: '' } })
  const talk = await openConversations({ agent })
  const id = await begin(talk)
  await talk.conversations.prompt(id, say('hello'))
  const before = await talk.store.count(id)
  await killAgent(talk, id)
  await talk.conversations.ensure(id)
  expect((await eventsIn(talk.store, id)).slice(before).map(({ kind }) => kind)).toEqual([
    'session/load',
    'response:session/load',
    'session/update:available_commands_update',
    '_rethread/restored',
  ])
})
