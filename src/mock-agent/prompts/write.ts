// `write FILE TEXT`: through the client.
import { resolve } from 'node:path'
import { methods } from '@agentclientprotocol/sdk/unstable'
import type { ClientTool } from './client-tool.ts'
import { useClientTool } from './client-tool.ts'
import type { Prompt } from './prompt.ts'

export const write: Prompt = {
  name: 'write',
  async run(turn) {
    const { session, asked, client, capabilities } = turn
    const [, name = '', content = ''] = /^(\S*)\s*(.*)$/s.exec(asked.rest) ?? []
    const path = resolve(session.cwd, name)
    const call: ClientTool = {
      title: `Write ${name}`,
      kind: 'edit',
      locations: [{ path }],
      rawInput: { path, content },
    }
    return await useClientTool(turn, call, async () => {
      if (capabilities.fs?.writeTextFile !== true) throw new Error('the client writes no files')
      await client.request(methods.client.fs.writeTextFile, { sessionId: session.id, path, content })
      return { text: `wrote ${name}`, content: [{ type: 'diff', path, oldText: null, newText: content }] }
    })
  },
}
