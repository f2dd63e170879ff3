// Sends one prompt, with a replay in front where the agent does not know the conversation.
import { RequestError } from '@agentclientprotocol/sdk'
import { RethreadError } from '../model/errors.ts'
import { AUTH_REQUIRED } from './agent-errors.ts'
import type { Outgoing } from './connection/attribution.ts'
import { withFirstBlock, withSessionId } from './connection/message-bytes.ts'
import type { JournalledPrompt } from './journalled-prompts.ts'
import { buildReplay, type ReplayLimits, replayBlock } from './restore/replay/build-replay.ts'
import type { LiveConversation } from './restore/restore.ts'
import { makeNote, RETRY_MARK, type StrategyName } from './store/notes.ts'
import type { JournalStore } from './store/store.ts'

export interface PromptAnswer {
  answer: unknown
  /** The strategy that restored the conversation for this prompt. Absent where it was live. */
  restored?: StrategyName
}

export interface PromptTurn {
  store: JournalStore
  live: LiveConversation
  sessionId: string
  params: object
  isRetry: boolean
  /** The last event before the prompt. */
  before: number
  replay?: ReplayLimits
  /** The prompt is in the journal already, as one that was taken before the agent ran. */
  taken?: JournalledPrompt | undefined
}

export async function prompt(turn: PromptTurn, { signal }: { signal?: AbortSignal }): Promise<unknown> {
  const { live, sessionId, params, isRetry, taken } = turn
  const named = withSessionId(isRetry ? markRetry(params) : params, live.binding.agentSessionId)
  const outgoing = withTaken(await withReplay(turn, named), taken, live.connection.id)
  const cancelling = signal === undefined ? {} : { signal }
  return await live.connection.request('session/prompt', named, { sessionId, ...outgoing, ...cancelling })
}

/** Links the journalled prompt to the request that sends it. */
function withTaken(outgoing: Outgoing, taken: JournalledPrompt | undefined, connectionId: string): Outgoing {
  if (taken === undefined || taken.isOver) return outgoing
  const { token } = taken
  return {
    ...outgoing,
    notes(request) {
      taken.isOver = true
      return [...(outgoing.notes?.(request) ?? []), makeNote('_rethread/prompt_sent', connectionId, { token, request })]
    },
  }
}

/** The journal holds the prompt without the replay, so that a replay is never replayed. */
async function withReplay(
  { store, live, sessionId, before, replay: limits }: PromptTurn,
  params: object,
): Promise<Outgoing> {
  const session = await store.getSession(sessionId)
  const replay = session?.replay
  if (replay?.state !== 'pending') return replay === undefined ? {} : { onAnswer: confirm }
  const built = await buildReplay(store, sessionId, { upTo: Math.min(replay.upTo, before), ...limits })
  if (built === undefined) return { change: { replay: null } }
  const { text, ...facts } = built
  return {
    wireParams: withFirstBlock(params, replayBlock(text)),
    notes: request => [makeNote('_rethread/replayed', live.connection.id, { request, upTo: replay.upTo, ...facts })],
    change: { replay: { state: 'sent', upTo: replay.upTo } },
    onAnswer: confirm,
  }
}

/** A successful turn proves that the agent has received the replay. */
function confirm(message: Record<string, unknown>): { replay: null } | undefined {
  return 'result' in message ? { replay: null } : undefined
}

function markRetry(params: object): object {
  const meta: unknown = Reflect.get(params, '_meta')
  return { ...params, _meta: { ...Object(meta), [RETRY_MARK]: true } }
}

const CANCELLED = -32_800

/**
 * Whether to try another restore strategy for the same prompt. Only where the agent has done nothing yet, so
 * that nothing happens twice.
 */
export function canTryNextStrategy(
  { strategy, isProven, binding }: Pick<LiveConversation, 'strategy' | 'isProven' | 'binding'>,
  error: unknown,
): boolean {
  if (strategy === undefined || strategy === 'replay' || isProven || binding.hasAnswered) return false
  if (error instanceof RequestError) return error.code !== AUTH_REQUIRED && error.code !== CANCELLED
  return error instanceof RethreadError && error.code === 'agent-failed'
}
