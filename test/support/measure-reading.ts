// node measure-reading.ts AGENT HOME SESSION: prints how many messages there are and by how many bytes reading them made this process grow.
import { readFileSync } from 'node:fs'
import { isConversation } from '../../src/model/message.ts'
import { agentNamed, findSession, readFrom } from './reading.ts'

const [agentId = '', home = '', sessionId = ''] = process.argv.slice(2)
const agent = agentNamed(agentId)
const session = await findSession(agent, { home, platform: 'linux', variables: {} }, sessionId)
const before = process.memoryUsage.rss()
let messages = 0
for await (const message of readFrom(agent, session)) if (isConversation(message)) messages++
const peak = peakBytes()
process.stdout.write(JSON.stringify({ messages, grownBytes: peak - before }))

/** The operating system's own high-water mark: it also sees what came and went between two messages. On Linux `maxRSS` begins with that of the process that started us. */
function peakBytes(): number {
  const known =
    process.platform === 'linux'
      ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
      : undefined
  return (known === undefined ? process.resourceUsage().maxRSS : Number(known)) * 1024
}
