// The middle of the page: the open conversation.
import type { RefObject } from 'react'
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react'
import { EmptyState, ErrorState, Skeleton } from '../common/states.tsx'
import { useShortcut } from '../keyboard.ts'
import { resumeSession } from '../state/actions.ts'
import { ApiFailure, api } from '../state/api.ts'
import { listen } from '../state/socket.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { view } from '../state/view.ts'
import { Banners, BranchBanner } from './banners.tsx'
import type { Conversation } from './conversation-context.ts'
import { ConversationContext } from './conversation-context.ts'
import { ConversationHead } from './conversation-head.tsx'
import { FindingMarker } from './finding-marker.tsx'
import type { ListHandle } from './list-handle.ts'
import { useConversationWindow, useSeen } from './use-conversation-window.ts'
import { useFindingSteps, useFindings } from './use-findings.ts'
import { useJump } from './use-jump.ts'

/** Markdown and the highlighting of code come with the list, after the page itself. */
const MessageList = lazy(() => import('./message-list.tsx'))

export function ConversationPane() {
  const { session, branch } = useStore(view)
  if (session === null) return <EmptyState title="Choose a conversation from the list" />
  return <OpenConversation key={`${session} ${branch}`} sessionKey={session} branch={branch ?? undefined} />
}

function OpenConversation({ sessionKey, branch }: { sessionKey: string; branch: string | undefined }) {
  const detail = useDetail(sessionKey)
  const { messages, state } = useConversationWindow(sessionKey, branch)
  const { held, views, models } = useSeen(messages, state)
  const findings = useFindings(sessionKey, branch, state, held)
  const list = useRef<ListHandle>(null)
  const steps = useFindingSteps(findings, messages, list)
  useJump(sessionKey, branch, messages, state, list)
  useShortcut('r', 'Resume the open conversation', () => resumeSession(sessionKey), detail?.resume.type === 'command')
  const conversation = useConversationValue(sessionKey, branch, detail, list)
  // A reading that fails before its first message leaves nothing to show.
  const isNothing = state.facts?.total === 0 && !state.facts.isComplete
  const facts = isNothing && state.pageFailure !== undefined ? undefined : state.facts
  const failure = state.failure ?? (isNothing ? state.pageFailure : undefined)
  return (
    <ConversationContext value={conversation}>
      <section aria-label="Conversation" className="flex h-full min-h-0 min-w-0 flex-col bg-page">
        <ConversationHead
          {...{ sessionKey, branch, detail, facts, models }}
          findings={findings.all.length}
          toFirst={() => list.current?.toFirst()}
          toLast={() => list.current?.toLast()}
          toNextFinding={steps.next}
        />
        <span role="status" className="sr-only">
          {steps.said}
        </span>
        {facts !== undefined && branch !== undefined && <BranchBanner {...{ facts, branch, sessionKey }} />}
        {facts !== undefined && <Banners state={state} facts={facts} again={() => void messages.again()} />}
        {facts === undefined && failure !== undefined && (
          <ErrorState failure={failureOf(failure)} again={() => void messages.again()} />
        )}
        {facts === undefined && failure === undefined && <Skeleton lines={9} label="Loading the conversation" />}
        {facts !== undefined && facts.total === 0 && facts.isComplete && (
          <div className="min-h-0 flex-1 overflow-y-auto px-4">
            {findings.all.map(placed => (
              <FindingMarker key={placed.key} placed={placed} />
            ))}
            <EmptyState
              title={facts.partial === null ? 'Nothing was said in this conversation' : 'No message could be read'}
            />
          </div>
        )}
        {facts !== undefined && facts.total > 0 && (
          <Suspense fallback={<Skeleton lines={9} label="Loading the conversation" />}>
            <MessageList
              ref={list}
              key={state.generation}
              {...{ messages, state, views }}
              findings={findings.byMessage}
            />
          </Suspense>
        )}
      </section>
    </ConversationContext>
  )
}

function useDetail(sessionKey: string) {
  const { answer, again } = useRequest(`session ${sessionKey}`, signal => api.session(sessionKey, signal))
  useEffect(() => {
    const refresh = ({ key }: { key: string }) => void (key === sessionKey && again())
    const stops = [listen('session.changed', refresh), listen('session.status', refresh)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [sessionKey, again])
  return answer
}

function useConversationValue(
  sessionKey: string,
  branch: string | undefined,
  detail: ReturnType<typeof useDetail>,
  list: RefObject<ListHandle | null>,
): Conversation {
  const kept = useRef({ folds: new Map(), wholes: new Map() })
  const { agent = '', agentTitle = '', filePath } = detail ?? {}
  return useMemo(
    () => ({ sessionKey, branch, agent, agentTitle, filePath, list, ...kept.current }),
    [sessionKey, branch, agent, agentTitle, filePath, list],
  )
}

function failureOf(failure: unknown): { message: string; code: string; hint: string } {
  if (failure instanceof ApiFailure) return failure
  return { message: String(failure), code: 'page-failed', hint: 'Load the page again.' }
}
