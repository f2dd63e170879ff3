// Keeps one part per tool call, whatever updates the agent sends and in which order.
import { asFields } from '../envelope.ts'
import { describeBlock, readList, readString } from './blocks.ts'
import type { ToolPart } from './changes.ts'
import { describeValue, takeEnd } from './clip.ts'
import { closeGrowing, currentTurn, ensureAnswer } from './open-messages.ts'
import { MAX_ENDED_TOOLS, MAX_OPEN_TOOLS, type OpenTool, type Step, type Turn, takeOldest } from './state.ts'

const STATUS = new Map<unknown, ToolPart['status']>([
  ['pending', 'pending'],
  ['in_progress', 'running'],
  ['completed', 'completed'],
  ['failed', 'failed'],
])

/** `isNew`: the agent starts the call. An earlier turn may have used the same id. */
export function upsertTool(step: Step, update: Record<string, unknown>, isNew: boolean): void {
  const callId = readString(update['toolCallId'])
  if (callId === undefined) {
    step.notice('tool_call', 'A tool call without an id.')
    return
  }
  const ended = step.state.endedTools.get(callId)
  if (ended !== undefined && !isNew && !isOfOpenTurn(step, ended.messageId)) {
    change(step, ended.tool, update, true)
    step.emit({ type: 'part', messageId: ended.messageId, part: { ...ended.tool.part } })
    return
  }
  const turn = turnOf(step, callId)
  const isOfTurn = ended !== undefined && ended.messageId === turn.answer?.id
  const known = turn.tools.get(callId) ?? (isOfTurn ? ended.tool : undefined)
  if (known === undefined) closeGrowing(step, turn)
  const { id } = ensureAnswer(step, turn)
  const tool = known ?? makeTool(step, callId)
  change(step, tool, update, false)
  storeTool(step, turn, id, tool)
  step.emit({ type: 'part', messageId: id, part: { ...tool.part } })
}

/** Interrupts the tools that did not end. */
export function interruptTools(step: Step, turn: Turn): void {
  const { answer, tools } = turn
  if (answer === undefined) return
  for (const tool of tools.values()) interrupt(step, answer.id, tool)
  tools.clear()
}

function isOfOpenTurn({ state }: Step, messageId: string): boolean {
  return state.unprompted?.answer?.id === messageId || state.turns.some(turn => turn.answer?.id === messageId)
}

/** The turn with this call, otherwise the turn that is being answered. */
function turnOf(step: Step, callId: string): Turn {
  const current = currentTurn(step)
  if (current.tools.has(callId)) return current
  return step.state.turns.findLast(turn => turn.tools.has(callId)) ?? current
}

function makeTool(step: Step, callId: string): OpenTool {
  const part: OpenTool['part'] = {
    ...step.makePart(true),
    type: 'tool',
    callId,
    name: '',
    title: '',
    kind: 'other',
    status: 'pending',
    input: undefined,
    output: '',
    files: [],
    diffs: [],
  }
  return { part, contentText: '', rawText: '', terminals: new Map() }
}

function change(step: Step, tool: OpenTool, update: Record<string, unknown>, isOver: boolean): void {
  const { part } = tool
  part.updatedAt = step.at
  part.kind = readString(update['kind']) ?? part.kind
  part.name = readString(update['name']) || part.name
  part.title = readString(update['title']) || part.title
  const status = STATUS.get(update['status']) ?? part.status
  // Nothing runs in a turn that has ended.
  if (!isOver || status === 'completed' || status === 'failed') part.status = status
  part.isOpen = part.status === 'pending' || part.status === 'running'
  if (given(update['rawInput'])) part.input = update['rawInput']
  if (given(update['rawOutput'])) tool.rawText = describeValue(update['rawOutput'])
  if (Array.isArray(update['locations'])) part.files = readFiles(update['locations'])
  if (Array.isArray(update['content'])) {
    tool.contentText = readText(update['content'])
    part.diffs = readDiffs(update['content'])
  }
  addTerminalOutput(tool, update['_meta'])
  part.output = tool.contentText === '' ? tool.rawText : withTerminals(tool)
  part.name ||= part.kind
  part.title ||= part.name
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null
}

function readFiles(locations: readonly unknown[]): string[] {
  const paths = locations.map(location => readString(asFields(location)['path']))
  return [...new Set(paths.filter(path => path !== undefined))]
}

function readText(content: readonly unknown[]): string {
  const lines = content.flatMap(item => {
    const { type, content: block, terminalId } = asFields(item)
    if (type === 'content') return [withoutFence(describeBlock(block))]
    if (type === 'terminal') return [terminalMark(readString(terminalId) ?? '')]
    return type === 'diff' ? [] : [describeValue(item)]
  })
  return lines.join('\n')
}

function terminalMark(id: string): string {
  return `[terminal ${id}]`
}

const TERMINAL_OUTPUT = ['terminal_output', 'terminal_output_delta']
/** The end of the output of one terminal. */
const MAX_TERMINAL_CHARS = 1024 * 1024

/** Agents that run commands in terminals of their own send the output piece by piece, outside the content. */
function addTerminalOutput({ terminals }: OpenTool, meta: unknown): void {
  for (const name of TERMINAL_OUTPUT) {
    const { terminal_id: id, data } = asFields(asFields(meta)[name])
    if (typeof id !== 'string' || typeof data !== 'string') continue
    terminals.set(id, takeEnd(`${terminals.get(id) ?? ''}${data}`, MAX_TERMINAL_CHARS))
  }
}

function withTerminals({ contentText, terminals }: OpenTool): string {
  let text = contentText
  for (const [id, output] of terminals) text = text.replaceAll(terminalMark(id), () => output)
  return text
}

const FENCE = '```'

/** Some agents put the output of a tool into a block of Markdown. */
function withoutFence(text: string): string {
  if (!text.startsWith(FENCE)) return text
  const lines = text.trimEnd().split('\n')
  const [first = '', last = ''] = [lines[0], lines.at(-1)]
  const inner = lines.slice(1, -1)
  const isFence = last.length >= FENCE.length && last === '`'.repeat(last.length) && first.startsWith(last)
  const isOne = isFence && lines.length > 1 && !inner.some(line => line.trimEnd() === last)
  return isOne && !first.slice(last.length).includes('`') ? inner.join('\n') : text
}

function readDiffs(content: readonly unknown[]): { path: string; oldText: string | null; newText: string }[] {
  return readList(content).flatMap(item => {
    const { type, path, oldText, newText } = asFields(item)
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return []
    return [{ path, oldText: readString(oldText) ?? null, newText }]
  })
}

function storeTool(step: Step, turn: Turn, messageId: string, tool: OpenTool): void {
  const { callId } = tool.part
  if (!tool.part.isOpen) {
    turn.tools.delete(callId)
    rememberEnded(step, messageId, tool)
    return
  }
  step.state.endedTools.delete(callId)
  turn.tools.set(callId, tool)
  const oldest = takeOldest(turn.tools, MAX_OPEN_TOOLS)
  if (oldest !== undefined) interrupt(step, messageId, oldest)
}

function interrupt(step: Step, messageId: string, tool: OpenTool): void {
  tool.part.status = 'interrupted'
  tool.part.isOpen = false
  tool.part.updatedAt = step.at
  step.emit({ type: 'part', messageId, part: { ...tool.part } })
  rememberEnded(step, messageId, tool)
}

function rememberEnded({ state }: Step, messageId: string, tool: OpenTool): void {
  state.endedTools.delete(tool.part.callId)
  state.endedTools.set(tool.part.callId, { messageId, tool })
  takeOldest(state.endedTools, MAX_ENDED_TOOLS)
}
