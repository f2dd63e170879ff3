// Requests of the client: prompts with the responses that end their turns, and requests that open a session
// or set its mode.
import { asFields, type JsonRpcId } from '../envelope.ts'
import { type JournalNote, QUEUED_MARK, RETRY_MARK } from '../store/notes.ts'
import { readBlock, readList, readNumber, readString } from './blocks.ts'
import type { ConversationError, ConversationMessage, PartBody } from './changes.ts'
import { describeValue, squeeze } from './clip.ts'
import { makeTurn } from './open-messages.ts'
import { questionKey } from './questions.ts'
import { MAX_OPEN_TURNS, MAX_PENDING_REQUESTS, MAX_QUEUED_PROMPTS, type Step, type Turn, takeOldest } from './state.ts'
import { closeUnprompted, endTurn, endTurnsOfOtherConnections, type TurnEnd } from './turns.ts'
import { readUsage } from './usage.ts'

export function beginPrompt(step: Step, id: JsonRpcId, params: unknown): void {
  const { state, connectionId } = step
  const key = questionKey(connectionId, id)
  endTurnsOfOtherConnections(step)
  const taken = state.turns.find(({ request }) => request?.isTaken === true && request.key === key)
  if (taken?.request !== undefined) {
    taken.request = { ...taken.request, isTaken: false }
    return
  }
  openTurn(step, key, params, false)
}

/** The agent does not run yet. The turn begins, and the prompt that is sent continues it. */
export function takePrompt(step: Step, token: string, params: unknown): void {
  openTurn(step, takenKey(token), params, true)
}

/** The next prompt, with this id, continues the turn. */
export function sendTaken(step: Step, token: string, id: JsonRpcId): void {
  const turn = findTaken(step, token)
  const { connectionId } = step
  if (turn?.request !== undefined) turn.request = { ...turn.request, key: questionKey(connectionId, id), connectionId }
}

/** Without an error it was cancelled. */
export function failPrompt(step: Step, token: string, error: ConversationError | undefined): void {
  const turn = findTaken(step, token)
  if (turn !== undefined) endTurn(step, turn, error === undefined ? { stopReason: 'cancelled' } : { error })
}

function findTaken({ state }: Step, token: string): Turn | undefined {
  return state.turns.find(({ request }) => request?.key === takenKey(token))
}

function takenKey(token: string): string {
  return `taken ${token}`
}

function openTurn(step: Step, key: string, params: unknown, isTaken: boolean): void {
  const { state, connectionId } = step
  closeUnprompted(step)
  const same = state.turns.find(turn => turn.request?.key === key)
  const given = same ?? (state.turns.length >= MAX_OPEN_TURNS ? state.turns[0] : undefined)
  if (given !== undefined) endTurn(step, given, { isIncomplete: true })
  const bodies = readList(asFields(params)['prompt']).map(readBlock)
  const { [RETRY_MARK]: retry, [QUEUED_MARK]: queuedKey } = asFields(asFields(params)['_meta'])
  const messageId =
    takeQueued(step, queuedKey)?.id ?? (retry === true ? state.lastUserId : undefined) ?? showPrompt(step, bodies)
  const text = squeeze(bodies.map(body => (body.type === 'text' ? body.text : '')).join('\n'))
  const hasFiles = bodies.some(body => body.type === 'file')
  if (state.turns.length === 0) step.emit({ type: 'status', status: 'busy' })
  state.turns.push(makeTurn({ key, connectionId, text, hasFiles, isTaken }, messageId))
  state.lastUserId = messageId
}

function showPrompt(step: Step, bodies: readonly PartBody[]): string {
  const message = { ...step.makeMessage('user'), completedAt: step.at }
  showMessage(step, message, bodies)
  return message.id
}

function showMessage(step: Step, message: ConversationMessage, bodies: readonly PartBody[]): void {
  step.emit({ type: 'message', message: { ...message } })
  for (const body of bodies)
    step.emit({ type: 'part', messageId: message.id, part: { ...step.makePart(false), ...body } })
}

/** Shows a prompt that waits. It is the same message when it is sent. */
export function applyQueued(step: Step, { key, prompt }: JournalNote<'_rethread/queued'>): void {
  const { queued } = step.state
  const message: ConversationMessage = { ...step.makeMessage('user'), queuedAs: key }
  queued.set(key, message)
  showMessage(step, message, prompt.map(readBlock))
  const oldest = takeOldest(queued, MAX_QUEUED_PROMPTS)
  if (oldest !== undefined) endQueued(step, oldest)
}

/** The prompt is over, and its answer is the reason. */
export function applyUnsent(
  step: Step,
  { key, text, code, isCancelled = false }: JournalNote<'_rethread/unsent'>,
): void {
  const message = takeQueued(step, key)
  if (message === undefined) return
  const answer: ConversationMessage = { ...step.makeMessage('assistant'), answers: message.id, completedAt: step.at }
  const error: ConversationError = { text, ...(code === undefined ? {} : { code }) }
  step.emit({ type: 'message', message: { ...answer, ...(isCancelled ? { stopReason: 'cancelled' } : { error }) } })
  if (!isCancelled) step.emit({ type: 'error', error, messageId: answer.id })
}

/** What waits at a fork waits in the parent, not in the copy. */
export function endAllQueued(step: Step): void {
  for (const key of [...step.state.queued.keys()]) takeQueued(step, key)
}

function takeQueued(step: Step, key: unknown): ConversationMessage | undefined {
  const { queued } = step.state
  const message = typeof key === 'string' ? queued.get(key) : undefined
  if (message === undefined || typeof key !== 'string') return undefined
  queued.delete(key)
  endQueued(step, message)
  return message
}

function endQueued(step: Step, { queuedAs: _, ...message }: ConversationMessage): void {
  step.emit({ type: 'message', message: { ...message, completedAt: step.at, lastSeq: step.seq } })
}

/** False where the response belongs to another request. */
export function endPrompt(step: Step, id: JsonRpcId, message: Record<string, unknown>): boolean {
  const key = questionKey(step.connectionId, id)
  const turn = step.state.turns.find(({ request }) => request?.key === key)
  if (turn !== undefined) endTurn(step, turn, readEnd(message))
  return turn !== undefined
}

/**
 * The prompt could not be read, or is before the part of the journal that is read. Its response ends the open
 * answer.
 */
export function endUnknownPrompt(step: Step, message: Record<string, unknown>): void {
  const isOfPrompt = typeof asFields(message['result'])['stopReason'] === 'string'
  if (isOfPrompt) closeUnprompted(step, readEnd(message))
}

function readError(value: unknown): ConversationError {
  const { code, message, data } = asFields(value)
  const said = readString(message) ?? describeValue(value)
  const { details } = asFields(data)
  const text = typeof details === 'string' && details !== '' ? `${said}: ${details}` : said
  const number = readNumber(code)
  return number === undefined ? { text } : { code: number, text }
}

function readEnd(message: Record<string, unknown>): TurnEnd {
  if (message['error'] !== undefined) return { error: readError(message['error']) }
  const { stopReason, usage } = asFields(message['result'])
  const took = readUsage(usage)
  return {
    ...(typeof stopReason === 'string' ? { stopReason } : {}),
    ...(took === undefined ? {} : { usage: took }),
  }
}

const OPENING_METHODS: readonly string[] = ['session/new', 'session/load', 'session/resume', 'session/fork']

export function noteRequest(step: Step, method: string, id: JsonRpcId, params: unknown): void {
  const isOpening = OPENING_METHODS.includes(method)
  if (!isOpening && method !== 'session/set_mode') return
  if (isOpening) endTurnsOfOtherConnections(step)
  const { requests } = step.state
  const mode = readString(asFields(params)['modeId'])
  requests.set(questionKey(step.connectionId, id), { method, mode })
  takeOldest(requests, MAX_PENDING_REQUESTS)
}

/** False where no such request is open. */
export function endRequest(step: Step, id: JsonRpcId, message: Record<string, unknown>): boolean {
  const key = questionKey(step.connectionId, id)
  const request = step.state.requests.get(key)
  if (request === undefined) return false
  step.state.requests.delete(key)
  // Messages that the agent repeated while loading end with its response.
  if (request.method === 'session/load') closeUnprompted(step)
  if (message['error'] !== undefined) return true
  const mode = request.mode ?? readString(asFields(asFields(message['result'])['modes'])['currentModeId'])
  if (mode !== undefined) step.emit({ type: 'mode', mode })
  return true
}
