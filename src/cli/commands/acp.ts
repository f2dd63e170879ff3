// rethread acp
import type { CommandDefinition } from '../command.ts'
import { textOption } from '../command.ts'
import { EXIT } from '../exit-status.ts'

export const acpCommand: CommandDefinition = {
  name: 'acp',
  summary: 'Serve an editor over ACP, with conversations that survive every crash',
  options: [
    {
      flags: '--agent <name>',
      description:
        'Choose the agent that messages are passed to (default_agent of the configuration, or an installed one)',
    },
  ],
  help: `An editor that speaks the Agent Client Protocol starts this instead of the agent. Everything is
passed through to the agent and written into the journal first, so a crash of the agent, of the
editor or of the machine loses nothing that was on the screen: the next message restores the
conversation. Editors can list and load old conversations, even if the agent itself cannot. Standard
input and output belong to the protocol. "rethread agents" shows which agents there are.

In Zed's settings:
  "agent_servers": {
    "rethread": { "command": "rethread", "args": ["acp", "--agent", "mock"] }
  }

Examples:
  rethread acp --agent mock
  rethread acp --agent mock --journal ~/notes/journal.sqlite`,
  async run(invocation) {
    const named = textOption(invocation, 'agent')
    const context = await invocation.context()
    const { collectAcpAgents } = await import('../../journal/agent-files/collect-acp-agents.ts')
    const agents = await collectAcpAgents(context)
    const agentName = named ?? agents.defaultName()
    // Fails now, before an editor waits for an answer.
    agents.get(agentName)
    const { openConversationParts } = await import('../../journal/agent-files/open-conversations.ts')
    const { serveEditor } = await import('../../journal/editor/serve-editor.ts')
    const parts = await openConversationParts(context)
    try {
      const { input, stop } = stoppableInput()
      await serveEditor({ ...parts, agentName, cwd: process.cwd(), input, output: process.stdout })
      stop()
      return EXIT.fine
    } finally {
      await parts.store.close()
    }
  },
}

const SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/**
 * A signal has the same effect as the editor closing its side: the agents are stopped, and the journal says
 * so.
 */
function stoppableInput() {
  const input = process.stdin
  const close = (): void => void input.push(null)
  for (const signal of SIGNALS) process.on(signal, close)
  return {
    input,
    stop() {
      for (const signal of SIGNALS) process.off(signal, close)
    },
  }
}
