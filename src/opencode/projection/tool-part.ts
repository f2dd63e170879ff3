// A tool as clients show it.
import type { ToolPart as Tool } from '../../journal/conversation/changes.ts'
import { fields } from '../../journal/envelope.ts'
import type { ToolPart } from '../shapes/part.ts'
import type { ToolState } from '../shapes/tool-state.ts'
import { makePatch } from './patch.ts'

export const INTERRUPTED = 'interrupted'
const FAILED = 'The tool failed.'

interface Times {
  createdAt: number
  updatedAt: number
}

export function toolBody(tool: Tool & Times): Pick<ToolPart, 'type' | 'callID' | 'tool' | 'state'> {
  return { type: 'tool', callID: tool.callId, tool: toolName(tool), state: toolState(tool) }
}

/** Clients draw a shell by this name. Where the agent gave a name of its own, that is what it is. */
function toolName({ name, kind, input }: Tool): string {
  return name === 'execute' && kind === 'execute' && typeof fields(input)['command'] === 'string' ? 'bash' : name
}

function toolState(tool: Tool & Times): ToolState {
  const { status, output, title, createdAt: start, updatedAt: end } = tool
  const input = readInput(tool.input)
  const metadata = describe(tool)
  switch (status) {
    case 'pending':
      return { status, input, raw: '' }
    case 'running':
      return { status, input, title, metadata, time: { start } }
    case 'completed':
      return { status, input, output, title, metadata, time: { start, end } }
    case 'failed':
      return { status: 'error', input, error: output === '' ? FAILED : output, metadata, time: { start, end } }
    case 'interrupted':
      return {
        status: 'error',
        input,
        error: INTERRUPTED,
        metadata: { ...metadata, interrupted: true, output },
        time: { start, end },
      }
  }
}

function readInput(input: unknown): Record<string, unknown> {
  if (input === undefined || input === null) return {}
  return typeof input === 'object' && !Array.isArray(input) ? fields(input) : { value: input }
}

function describe(tool: Tool): Record<string, unknown> {
  const { kind, title, files, diffs, status, output } = tool
  const isShown = status === 'running' ? output !== '' : toolName(tool) === 'bash'
  return {
    kind,
    title,
    ...(files.length === 0 ? {} : { files }),
    ...(diffs.length === 0 ? {} : { diff: diffs.map(diff => makePatch(diff).patch).join('') }),
    ...(isShown ? { output } : {}),
  }
}
