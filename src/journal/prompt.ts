// One turn: the prompt, with a replay in front where the agent has to be told what was said before.
import { RequestError } from '@agentclientprotocol/sdk'
import { RethreadError } from '../model/errors.ts'
import type { Outgoing } from './connection/attribution.ts'
import { withFirstBlock, withSessionId } from './connection/message-bytes.ts'
import { buildReplay, type ReplayLimits, replayBlock } from './restore/replay/build-replay.ts'
import type { LiveConversation } from './restore/restore.ts'
import { makeNote, RETRY_MARK } from './store/notes.ts'
import type { JournalStore } from './store/store.ts'

export interface PromptTurn {
  store: JournalStore
  live: LiveConversation
  sessionId: string
  params: object
  isRetry: boolean
  /** The last event before it was said. */
  before: number
  replay?: ReplayLimits
}

export async function prompt(turn: PromptTurn, { signal }: { signal?: AbortSignal }): Promise<unknown> {
  const { live, sessionId, params, isRetry } = turn
  const named = withSessionId(isRetry ? markRetry(params) : params, live.binding.agentSessionId)
  const outgoing = await withReplay(turn, named)
  const cancelling = signal === undefined ? {} : { signal }
  return await live.connection.request('session/prompt', named, { sessionId, ...outgoing, ...cancelling })
}

/** What is journalled is what the person said; the replay stands only on the wire, so that it is never replayed itself. */
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

/** A turn that worked is what proves that the agent has been told. */
function confirm(message: Record<string, unknown>): { replay: null } | undefined {
  return 'result' in message ? { replay: null } : undefined
}

function markRetry(params: object): object {
  const meta: unknown = Reflect.get(params, '_meta')
  return { ...params, _meta: { ...Object(meta), [RETRY_MARK]: true } }
}

const AUTH_REQUIRED = -32_000
const CANCELLED = -32_800

/** Whether another rung is tried for the same prompt: only where nothing was said and done yet, so that nothing happens twice. */
export function canTryNextStrategy(
  { strategy, isProven, binding }: Pick<LiveConversation, 'strategy' | 'isProven' | 'binding'>,
  error: unknown,
): boolean {
  if (strategy === undefined || strategy === 'replay' || isProven || binding.hasAnswered) return false
  if (error instanceof RequestError) return error.code !== AUTH_REQUIRED && error.code !== CANCELLED
  return error instanceof RethreadError && error.code === 'agent-failed'
}
