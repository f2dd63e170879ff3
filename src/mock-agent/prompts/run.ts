// `run COMMAND`: in a terminal of the client.

import type { Turn } from '../turn.ts'
import type { ClientTool, Done } from './client-tool.ts'
import { useClientTool } from './client-tool.ts'
import type { Prompt } from './prompt.ts'

export const run: Prompt = {
  name: 'run',
  async run(turn) {
    const line = turn.asked.rest
    const call: ClientTool = { title: line, kind: 'execute', rawInput: { command: line } }
    return await useClientTool(turn, call, toolCallId => runInTerminal(turn, line, toolCallId))
  },
}

async function runInTerminal(turn: Turn, line: string, toolCallId: string): Promise<Done> {
  const { session, client, capabilities } = turn
  if (capabilities.terminal !== true) throw new Error('the client has no terminals')
  const [command = '', ...args] = line.split(/\s+/)
  const terminal = await client.createTerminal({ sessionId: session.id, command, args, cwd: session.cwd })
  try {
    const content = [{ type: 'terminal', terminalId: terminal.id } as const]
    await turn.send({ sessionUpdate: 'tool_call_update', toolCallId, content })
    const { exitCode, signal } = await terminal.waitForExit()
    const { output } = await terminal.currentOutput()
    return { text: `exit=${exitCode ?? signal ?? 'unknown'}\n${output}`, content, hasFailed: exitCode !== 0 }
  } finally {
    await terminal.release()
  }
}
