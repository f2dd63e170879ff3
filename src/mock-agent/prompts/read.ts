// `read FILE`: through the client.
import { resolve } from 'node:path'
import { methods } from '@agentclientprotocol/sdk/unstable'
import type { ClientTool } from './client-tool.ts'
import { useClientTool } from './client-tool.ts'
import type { Prompt } from './prompt.ts'

export const read: Prompt = {
  name: 'read',
  async run(turn) {
    const { session, asked, client, capabilities } = turn
    const path = resolve(session.cwd, asked.rest)
    const call: ClientTool = { title: `Read ${asked.rest}`, kind: 'read', locations: [{ path }], rawInput: { path } }
    return await useClientTool(turn, call, async () => {
      if (capabilities.fs?.readTextFile !== true) throw new Error('the client reads no files')
      const { content } = await client.request(methods.client.fs.readTextFile, { sessionId: session.id, path })
      return { text: content }
    })
  },
}
