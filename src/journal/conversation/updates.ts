// Applies a session/update of the agent to the conversation, by its variant.
import { asFields } from '../envelope.ts'
import { stripReplay } from '../restore/replay/mark.ts'
import { MAX_NOTICE_CHARS } from './apply-notes.ts'
import { describeBlock, readBlock, readList, readString } from './blocks.ts'
import { clipEnd, describeValue, squeeze } from './clip.ts'
import {
  addPart,
  addToReported,
  closeGrowing,
  currentTurn,
  growAnswer,
  growReported,
  openReported,
} from './open-messages.ts'
import type { PromptRequest, Step } from './state.ts'
import { upsertTool } from './tools.ts'
import { closeUnprompted } from './turns.ts'
import { readUsageUpdate } from './usage.ts'

type Update = Record<string, unknown>
type ApplyVariant = (step: Step, update: Update) => void

const VARIANTS: Record<string, ApplyVariant> = {
  agent_message_chunk: (step, update) => applyAgentChunk(step, update, 'text'),
  agent_thought_chunk: (step, update) => applyAgentChunk(step, update, 'thought'),
  user_message_chunk: applyUserChunk,
  tool_call: (step, update) => upsertTool(step, update, true),
  tool_call_update: (step, update) => upsertTool(step, update, false),
  plan: applyPlan,
  session_info_update: applySessionInfo,
  current_mode_update: applyMode,
  available_commands_update: applyCommands,
  usage_update: applyUsage,
  notice: (step, update) => applyNotice(step, 'notice', describeNotice(update)),
  config_option_update: (step, update) => applyNotice(step, 'config_option_update', describeOptions(update)),
  compaction_update: (step, update) => applyNotice(step, 'compaction_update', describeNotice(update)),
  compaction_summary_chunk: (step, update) =>
    applyNotice(step, 'compaction_summary_chunk', describeBlock(update['content'])),
}

export function applyUpdate(step: Step, value: unknown): void {
  const update = asFields(value)
  const variant = readString(update['sessionUpdate']) ?? ''
  const apply = Object.hasOwn(VARIANTS, variant) ? VARIANTS[variant] : undefined
  if (apply !== undefined) apply(step, update)
  else applyUnknown(step, value, variant)
}

/** An unknown variant with content inside a turn becomes a part of the answer. Any other is only a notice. */
function applyUnknown(step: Step, value: unknown, variant: string): void {
  const turn = step.state.turns.at(-1)
  if (turn !== undefined && 'content' in asFields(value)) addPart(step, turn, { type: 'unknown', kind: variant, value })
  else step.notice('update', clipEnd(describeValue(value), MAX_NOTICE_CHARS))
}

function applyAgentChunk(step: Step, update: Update, type: 'text' | 'thought'): void {
  const body = readBlock(update['content'])
  const messageId = readString(update['messageId'])
  // Agents send empty chunks as a sign of life.
  if (body.type === 'text' && body.text === '') return
  const turn = currentTurn(step)
  if (body.type === 'text') growAnswer(step, turn, { type, text: body.text, messageId })
  else addPart(step, turn, body)
}

/** A chunk of a user message, as the agent reports it. */
function applyUserChunk(step: Step, update: Update): void {
  const messageId = readString(update['messageId'])
  const turn = step.state.turns.at(-1)
  const body = readBlock(update['content'])
  const text = body.type === 'text' ? stripReplay(body.text) : undefined
  if (text === '' || (turn?.request !== undefined && isEcho(turn.request, text))) return
  if (turn !== undefined) closeGrowing(step, turn)
  else if (step.state.unprompted !== undefined) closeUnprompted(step)
  const reported = openReported(step, messageId)
  if (text !== undefined) growReported(step, reported, { type: 'text', text, messageId })
  else addToReported(step, reported, body)
}

/** A text of this length is unlikely to be part of another text by accident. */
const MIN_DISTINCTIVE_CHARS = 20

/** Whether the agent repeats the prompt it is answering: whole, in pieces, or with other text around it. */
function isEcho({ text: prompt, hasFiles }: PromptRequest, text: string | undefined): boolean {
  if (text === undefined) return hasFiles
  const repeated = squeeze(text)
  return prompt.includes(repeated) || (prompt.length >= MIN_DISTINCTIVE_CHARS && repeated.includes(prompt))
}

/** Each plan update holds the whole plan. */
function applyPlan(step: Step, update: Update): void {
  const entries = readList(update['entries']).flatMap(entry => {
    const { content, priority, status } = asFields(entry)
    if (typeof content !== 'string') return []
    return [{ content, priority: readString(priority) ?? 'medium', status: readString(status) ?? 'pending' }]
  })
  step.emit({ type: 'plan', entries })
}

function applySessionInfo(step: Step, update: Update): void {
  const title = readString(update['title'])
  if (title !== undefined && title !== '') step.emit({ type: 'title', title })
}

function applyMode(step: Step, update: Update): void {
  const mode = readString(update['currentModeId'])
  if (mode !== undefined) step.emit({ type: 'mode', mode })
}

/** The commands that can be typed into a prompt. */
function applyCommands(step: Step, update: Update): void {
  const commands = readList(update['availableCommands']).flatMap(command => {
    const { name, description } = asFields(command)
    return typeof name === 'string' ? [{ name, description: readString(description) ?? '' }] : []
  })
  step.emit({ type: 'commands', commands })
}

/** Usage belongs to the open answer, otherwise to the last one. */
function applyUsage(step: Step, update: Update): void {
  const { state } = step
  const added = readUsageUpdate(update)
  if (added === undefined) return
  const turn = state.turns.at(-1) ?? state.unprompted
  if (turn !== undefined && turn.answer === undefined) {
    turn.usage = { ...turn.usage, ...added }
    return
  }
  const message = turn?.answer ?? state.lastAnswer
  if (message === undefined) return
  message.usage = { ...message.usage, ...added }
  step.emit({ type: 'message', message: { ...message } })
}

function applyNotice(step: Step, variant: string, text: string): void {
  step.notice(variant, clipEnd(text, MAX_NOTICE_CHARS))
}

function describeNotice(update: Update): string {
  return [update['title'], update['description'], update['status'], update['error']]
    .map(word => readString(word) ?? '')
    .filter(word => word !== '')
    .join(' ')
}

function describeOptions(update: Update): string {
  return readList(update['configOptions']).map(describeOption).join(', ')
}

function describeOption(option: unknown): string {
  const { id, name, currentValue } = asFields(option)
  return `${readString(name) ?? readString(id) ?? '?'}: ${String(readString(currentValue) ?? currentValue)}`
}
