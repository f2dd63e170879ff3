// The middle of the page: the open conversation.
import type { RefObject } from 'react'
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react'
import type { SessionDetail } from '../../../src/server/protocol.ts'
import { ArchiveBanner } from '../archive/archive-banner.tsx'
import { showTimeline } from '../archive/archive-state.ts'
import { EmptyState, ErrorState, Skeleton } from '../common/states.tsx'
import { useShortcut } from '../keyboard.ts'
import { resumeSession } from '../state/actions.ts'
import { ApiFailure, api, type SessionState } from '../state/api.ts'
import { listen } from '../state/socket.ts'
import { useStore } from '../state/store.ts'
import { onSessionChanged } from '../state/streaming.ts'
import { useRequest } from '../state/use-request.ts'
import { view } from '../state/view.ts'
import { TalkFoot } from '../talk/talk-foot.tsx'
import { Banners, BranchBanner } from './banners.tsx'
import type { Conversation } from './conversation-context.ts'
import { ConversationContext } from './conversation-context.ts'
import { FindBar } from './find-bar.tsx'
import { FindingMarker } from './finding-marker.tsx'
import { ConversationHead } from './head/conversation-head.tsx'
import { labelled } from './head/label-actions.ts'
import { useEnter } from './use-enter.ts'
import { useFindingSteps, useFindings } from './use-findings.ts'
import { useJump } from './use-jump.ts'
import type { Talk } from './use-talk.ts'
import { useTalk } from './use-talk.ts'
import type { MessageListHandle } from './window/list-handle.ts'
import { useConversationWindow, useMergedMessages, useMessageViews } from './window/use-conversation-window.ts'

/** Loaded after the page itself, together with Markdown and code highlighting. */
const MessageList = lazy(() => import('./message-list.tsx'))

export function ConversationPane() {
  const { session, branch, version } = useStore(view)
  if (session === null) return <EmptyState title="Choose a conversation from the list" />
  const shown: SessionState = { branch: branch ?? undefined, version: version ?? undefined }
  return <OpenConversation key={`${session} ${branch} ${version}`} sessionKey={session} {...shown} />
}

function OpenConversation({ sessionKey, branch, version }: SessionState & { sessionKey: string }) {
  const { answer: detail, failure: unknown } = useDetail(sessionKey)
  const talk = useTalk(sessionKey, branch, detail, unknown)
  const { messages, state: read } = useConversationWindow(sessionKey, { branch, version })
  const { loaded, state } = useMergedMessages(messages, read, talk.live, talk.isFresh)
  const { views, models } = useMessageViews(loaded, state.facts)
  const findings = useFindings(sessionKey, { branch, version }, state, loaded)
  const list = useRef<MessageListHandle>(null)
  const pane = useRef<HTMLElement>(null)
  const steps = useFindingSteps(findings, messages, list)
  useEnter(sessionKey, pane)
  useJump(sessionKey, branch !== undefined || version !== undefined, messages, state, list)
  useShortcut('v', 'Restore points of the open conversation', showTimeline)
  const canResume = version === undefined && detail?.resume.type === 'command'
  useShortcut('r', 'Resume the open conversation', () => resumeSession(sessionKey), canResume)
  const conversation = useConversationValue({ sessionKey, branch, version, detail, list, talk })
  // The reading failed before its first message, so there is nothing to show.
  const isNothing = state.facts?.total === 0 && !state.facts.isComplete
  const facts = isNothing && state.pageFailure !== undefined ? undefined : state.facts
  const failure = state.failure ?? (isNothing ? state.pageFailure : undefined)
  return (
    <ConversationContext value={conversation}>
      <section
        ref={pane}
        aria-label="Conversation"
        tabIndex={-1}
        className="flex h-full min-h-0 min-w-0 flex-col bg-page -outline-offset-2"
      >
        <ConversationHead
          {...{ sessionKey, branch, detail, facts, models }}
          talk={talk.isTalk ? talk.live.state : undefined}
          findings={findings.all.length}
          toFirst={() => list.current?.toFirst()}
          toLast={() => list.current?.toLast()}
          toNextFinding={steps.next}
        />
        {branch === undefined && <FindBar {...{ sessionKey, pane, list }} />}
        <span role="status" className="sr-only">
          {steps.said}
        </span>
        <ArchiveBanner {...{ sessionKey, version, detail }} messages={facts?.total} />
        {facts !== undefined && branch !== undefined && <BranchBanner {...{ facts, branch, sessionKey }} />}
        {facts !== undefined && (
          <Banners
            state={state}
            facts={facts}
            again={() => void messages.again()}
            isLive={talk.live.messages.size > 0}
          />
        )}
        {facts === undefined && failure !== undefined && (
          <ErrorState failure={failureOf(failure)} again={() => void messages.again()} />
        )}
        {facts === undefined && failure === undefined && <Skeleton lines={9} label="Loading the conversation" />}
        {facts !== undefined && facts.total === 0 && facts.isComplete && (
          <div className="min-h-0 flex-1 overflow-y-auto px-4">
            {findings.all.map(placed => (
              <FindingMarker key={placed.key} placed={placed} />
            ))}
            {talk.isTalk && facts.partial === null ? (
              <EmptyState title="Describe the task">Messages are saved before they are sent.</EmptyState>
            ) : (
              <EmptyState
                title={facts.partial === null ? 'This conversation has no messages' : 'No message can be read'}
              />
            )}
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
        {talk.isTalk && <TalkFoot sessionKey={sessionKey} live={talk.live} />}
      </section>
    </ConversationContext>
  )
}

function useDetail(sessionKey: string): { answer: SessionDetail | undefined; failure: ApiFailure | undefined } {
  const request = useRequest(`session ${sessionKey}`, signal => api.session(sessionKey, signal))
  const { answer, again } = request
  useEffect(() => {
    const refresh = ({ key }: { key: string }) => void (key === sessionKey && again())
    const stops = [onSessionChanged(sessionKey, again), listen('session.status', refresh), labelled.subscribe(again)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [sessionKey, again])
  return { answer, failure: request.state === 'failed' ? request.failure : undefined }
}

interface Shown extends SessionState {
  sessionKey: string
  detail: SessionDetail | undefined
  list: RefObject<MessageListHandle | null>
  talk: Talk
}

function useConversationValue({ sessionKey, branch, version, detail, list, talk }: Shown): Conversation {
  const kept = useRef({ folds: new Map(), wholes: new Map() })
  const { agent = '', filePath } = detail ?? {}
  const { isTalk, live } = talk
  // The journal stores the conversation, but the title is that of the agent.
  const agentTitle = live.state?.agentTitle ?? detail?.agentTitle ?? ''
  return useMemo(
    () => ({ sessionKey, branch, version, agent, agentTitle, filePath, list, isTalk, ...kept.current }),
    [sessionKey, branch, version, agent, agentTitle, filePath, list, isTalk],
  )
}

function failureOf(failure: unknown): { message: string; code: string; hint: string } {
  if (failure instanceof ApiFailure) return failure
  return { message: String(failure), code: 'page-failed', hint: 'Reload the page.' }
}
