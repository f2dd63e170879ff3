// Uses a tool that is said to have changed a file, and names that file. Nothing on the disk is touched.
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
      async () => ({
        status: 'completed',
        content: [
          { type: 'content', content: { type: 'text', text: 'ok' } },
          { type: 'diff', path: '/README.md', oldText: '', newText: 'tool\n' },
        ],
      }),
    )
    await turn.show({ type: 'resource_link', name: 'README.md', mimeType: 'text/plain', uri: 'file:///README.md' })
    return 'end_turn'
  },
}
