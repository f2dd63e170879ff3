// A Model Context Protocol server over standard input and output. It only reads. The official SDK speaks the
// protocol: agents differ in versions and details of it that are not worth writing again.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { RethreadError } from '../model/errors.ts'
import { QUOTATION_NOTE } from './quoted.ts'
import type { Scope, Tool } from './tool.ts'
import { listConversations } from './tools/list-conversations.ts'
import { readConversation } from './tools/read-conversation.ts'
import { searchConversations } from './tools/search-conversations.ts'

/** The list of tools. */
export const TOOLS: readonly Tool[] = [searchConversations, readConversation, listConversations]

/** Ends when the agent closes standard input. */
export async function serveMcp(scope: Scope, version: string): Promise<void> {
  const place = scope.project === undefined ? 'all projects' : `the project ${scope.project}`
  const server = new McpServer(
    { name: 'rethread', version },
    { instructions: `Earlier conversations of ${place} with coding agents, read-only. ${QUOTATION_NOTE}` },
  )
  for (const tool of TOOLS) addTool(server, scope, tool)
  const ended = new Promise<void>(resolve => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  await server.connect(new StdioServerTransport())
  await ended
  await server.close()
}

function addTool(server: McpServer, scope: Scope, tool: Tool): void {
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  server.registerTool(
    tool.name,
    { title: tool.title, description: tool.description, inputSchema: tool.input, annotations },
    async (input: Record<string, unknown>, { signal }: { signal: AbortSignal }) => {
      try {
        return { content: [{ type: 'text', text: await tool.run(scope, input, signal) }] }
      } catch (error) {
        if (!(error instanceof RethreadError)) throw error
        return { isError: true, content: [{ type: 'text', text: `${error.message}\n${error.hint}` }] }
      }
    },
  )
}
