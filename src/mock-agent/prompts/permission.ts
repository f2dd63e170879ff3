// Asks for a permission, and does nothing with it. An "always" is for the client to remember: the next prompt asks again.
import { randomUUID } from 'node:crypto'
import type { RequestPermissionRequest, ToolCall } from '@agentclientprotocol/sdk/unstable'
import { methods } from '@agentclientprotocol/sdk/unstable'
import type { Prompt } from './prompt.ts'

const OPTIONS = [
  { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow_always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
] as const

export const permission: Prompt = {
  name: 'permission',
  async run(turn) {
    const toolCall: ToolCall = {
      toolCallId: `call-${randomUUID()}`,
      title: 'Run a command',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'echo permission' },
    }
    const asked: RequestPermissionRequest = { sessionId: turn.session.id, toolCall, options: [...OPTIONS] }
    const { outcome } = await turn.client.request(methods.client.session.requestPermission, asked)
    if (outcome.outcome === 'cancelled') return 'cancelled'
    const option = OPTIONS.find(({ optionId }) => optionId === outcome.optionId)
    const isAllowed = option !== undefined && option.kind !== 'reject_once'
    const status = isAllowed ? 'completed' : 'failed'
    const { toolCallId, title, kind, rawInput } = toolCall
    const ended = { sessionUpdate: 'tool_call_update', toolCallId, title, kind, rawInput, status } as const
    await turn.send(ended)
    turn.session.add(null, [{ sessionUpdate: 'tool_call', ...toolCall }, ended])
    return 'end_turn'
  },
}
