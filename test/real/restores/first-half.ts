// A rethread that is killed in the middle of a turn: node first-half.ts <agent> <installed> <home> <port>. Prints the id of the conversation first.

import { agentNamed } from './acp-agents.ts'
import { begin, openConversations, say } from './conversation-stage.ts'
import { FILES, PRICE, SLOW } from './stage.ts'

const [name = '', installed = '', home = '', port = '0'] = process.argv.slice(2)
const ENOUGH_CHUNKS = 4

const opened = await openConversations({ agent: agentNamed(name), installed, home, port: Number(port) })
const id = await begin(opened)
process.stdout.write(`${id}\n`)
await opened.conversations.prompt(id, say(PRICE))
await opened.conversations.prompt(id, say(FILES))
let chunks = 0
opened.conversations.on(({ kind, envelope }) => {
  if (
    kind === 'session/update:agent_message_chunk' &&
    /word\d/.test(JSON.stringify(envelope)) &&
    ++chunks === ENOUGH_CHUNKS
  )
    process.kill(process.pid, 'SIGKILL')
  return undefined
})
await opened.conversations.prompt(id, say(SLOW))
throw new Error('The answer was over before enough of it had come.')
