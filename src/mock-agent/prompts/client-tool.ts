// A tool that is carried out by the client: what it gives back is said as the answer, and so is the reason where it fails.
import { randomUUID } from 'node:crypto'
import type { StopReason, ToolCall, ToolCallContent } from '@agentclientprotocol/sdk/unstable'
import type { Turn } from '../turn.ts'

export type ClientTool = Omit<ToolCall, 'toolCallId'>

export interface Done {
  /** What is said in the end. */
  text: string
  content?: ToolCallContent[]
  hasFailed?: boolean
}

export async function useClientTool(
  turn: Turn,
  call: ClientTool,
  run: (toolCallId: string) => Promise<Done>,
): Promise<StopReason> {
  const toolCallId = `call-${randomUUID()}`
  let said = ''
  await turn.useTool({ toolCallId, ...call }, async () => {
    const done = await runOrFail(toolCallId, run)
    said = done.text
    const content: ToolCallContent[] = done.content ?? [{ type: 'content', content: { type: 'text', text: done.text } }]
    return { status: done.hasFailed === true ? 'failed' : 'completed', content }
  })
  await turn.say(said)
  return 'end_turn'
}

async function runOrFail(toolCallId: string, run: (toolCallId: string) => Promise<Done>): Promise<Done> {
  try {
    return await run(toolCallId)
  } catch (error) {
    return { text: `failed: ${error instanceof Error ? error.message : String(error)}`, hasFailed: true }
  }
}
