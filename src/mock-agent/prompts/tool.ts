// Uses a tool, and names a file.
import { randomUUID } from 'node:crypto'
import type { Prompt } from './prompt.ts'

export const tool: Prompt = {
  name: 'tool',
  async run(turn) {
    await turn.pause()
    await turn.useTool(
      {
        toolCallId: `call-${randomUUID()}`,
        title: 'echo tool',
        kind: 'execute',
        rawInput: { command: 'echo tool' },
      },
      async () => ({ status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'ok' } }] }),
    )
    await turn.show({ type: 'resource_link', name: 'README.md', mimeType: 'text/plain', uri: 'file:///README.md' })
    return 'end_turn'
  },
}
