// The prompts of the mock agent that ask the client: for a permission, an answer, a file or a terminal.
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { RequestPermissionRequest, StopReason, ToolCall, ToolCallContent } from '@agentclientprotocol/sdk/unstable'
import { methods } from '@agentclientprotocol/sdk/unstable'
import type { Turn } from './turn.ts'

const PERMISSION_OPTIONS = [
  { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow_always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
] as const

/**
 * Asks for a permission and does nothing with it. The client remembers "always"; the next prompt asks again.
 * `permission: COMMAND` asks for that command, `permission to edit FILE` for a change of a file.
 */
export async function askPermission(turn: Turn): Promise<StopReason> {
  const toolCall: ToolCall = { toolCallId: `call-${randomUUID()}`, status: 'pending', ...wantedTool(turn) }
  const asked: RequestPermissionRequest = { sessionId: turn.session.id, toolCall, options: [...PERMISSION_OPTIONS] }
  const { outcome } = await turn.client.request(methods.client.session.requestPermission, asked)
  if (outcome.outcome === 'cancelled') return 'cancelled'
  const option = PERMISSION_OPTIONS.find(({ optionId }) => optionId === outcome.optionId)
  const isAllowed = option !== undefined && option.kind !== 'reject_once'
  const status = isAllowed ? 'completed' : 'failed'
  const { toolCallId, title, kind, rawInput } = toolCall
  const ended = { sessionUpdate: 'tool_call_update', toolCallId, title, kind, rawInput, status } as const
  await turn.send(ended)
  turn.session.add(null, [{ sessionUpdate: 'tool_call', ...toolCall }, ended])
  return 'end_turn'
}

function wantedTool({ asked: { first }, session }: Turn): ClientTool {
  const edited = /permission to edit (\S+)/i.exec(first)?.[1]
  if (edited !== undefined) {
    const path = resolve(session.cwd, edited)
    const diff = { type: 'diff', path, oldText: 'the old line\n', newText: 'the new line\n' } as const
    return { title: `Edit ${edited}`, kind: 'edit', locations: [{ path }], content: [diff] }
  }
  const command = /permission: (.+)/i.exec(first)?.[1] ?? 'echo permission'
  return { title: 'Run a command', kind: 'execute', rawInput: { command } }
}

const QUESTION = 'Choose one option'
const IS_QUESTION = { 'rethread/question': true }

/**
 * Asks a question: as a form if the client supports forms,
 * otherwise as a permission with the answers as options.
 */
export async function askQuestion(turn: Turn): Promise<StopReason> {
  const { form } = turn.capabilities.elicitation ?? {}
  return form === undefined || form === null ? await askByPermission(turn) : await askByForm(turn)
}

/** The turn ends whether the form is accepted, declined or dismissed. */
async function askByForm(turn: Turn): Promise<StopReason> {
  await turn.client.request(methods.client.elicitation.create, {
    mode: 'form',
    sessionId: turn.session.id,
    message: QUESTION,
    requestedSchema: {
      type: 'object',
      properties: { answer: { type: 'string', title: 'Question', enum: ['Yes', 'No'] } },
      required: ['answer'],
    },
  })
  return 'end_turn'
}

async function askByPermission(turn: Turn): Promise<StopReason> {
  const { outcome } = await turn.client.request(methods.client.session.requestPermission, {
    sessionId: turn.session.id,
    toolCall: { toolCallId: `question-${randomUUID()}`, title: QUESTION, kind: 'other', status: 'pending' },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once', _meta: IS_QUESTION },
      { optionId: 'no', name: 'No', kind: 'reject_once', _meta: IS_QUESTION },
    ],
    _meta: IS_QUESTION,
  })
  return outcome.outcome === 'cancelled' ? 'cancelled' : 'end_turn'
}

/** `read FILE` reads a file through the client. */
export async function readFile(turn: Turn): Promise<StopReason> {
  const { session, asked, client, capabilities } = turn
  const path = resolve(session.cwd, asked.rest)
  const call: ClientTool = { title: `Read ${asked.rest}`, kind: 'read', locations: [{ path }], rawInput: { path } }
  return await useClientTool(turn, call, async () => {
    if (capabilities.fs?.readTextFile !== true) throw new Error('the client reads no files')
    const { content } = await client.request(methods.client.fs.readTextFile, { sessionId: session.id, path })
    return { text: content }
  })
}

/** `write FILE TEXT` writes a file through the client. */
export async function writeFile(turn: Turn): Promise<StopReason> {
  const { session, asked, client, capabilities } = turn
  const [, name = '', content = ''] = /^(\S*)\s*(.*)$/s.exec(asked.rest) ?? []
  const path = resolve(session.cwd, name)
  const call: ClientTool = { title: `Write ${name}`, kind: 'edit', locations: [{ path }], rawInput: { path, content } }
  return await useClientTool(turn, call, async () => {
    if (capabilities.fs?.writeTextFile !== true) throw new Error('the client writes no files')
    await client.request(methods.client.fs.writeTextFile, { sessionId: session.id, path, content })
    return { text: `wrote ${name}`, content: [{ type: 'diff', path, oldText: null, newText: content }] }
  })
}

/** `run COMMAND` runs a command in a terminal of the client. */
export async function runCommand(turn: Turn): Promise<StopReason> {
  const line = turn.asked.rest
  const call: ClientTool = { title: line, kind: 'execute', rawInput: { command: line } }
  return await useClientTool(turn, call, toolCallId => runInTerminal(turn, line, toolCallId))
}

async function runInTerminal(turn: Turn, line: string, toolCallId: string): Promise<ToolResult> {
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

type ClientTool = Omit<ToolCall, 'toolCallId'>

interface ToolResult {
  /** The text of the answer. */
  text: string
  content?: ToolCallContent[]
  hasFailed?: boolean
}

/** Runs a tool of the client. The answer is its result, or the reason why it failed. */
async function useClientTool(
  turn: Turn,
  call: ClientTool,
  run: (toolCallId: string) => Promise<ToolResult>,
): Promise<StopReason> {
  const toolCallId = `call-${randomUUID()}`
  let answer = ''
  await turn.useTool({ toolCallId, ...call }, async () => {
    const { text, content, hasFailed } = await resultOf(run(toolCallId))
    answer = text
    return {
      status: hasFailed === true ? 'failed' : 'completed',
      content: content ?? [{ type: 'content', content: { type: 'text', text } }],
    }
  })
  await turn.say(answer)
  return 'end_turn'
}

async function resultOf(running: Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await running
  } catch (error) {
    return { text: `failed: ${error instanceof Error ? error.message : String(error)}`, hasFailed: true }
  }
}
