// Banners above the messages: partial data, a reading in progress, a page that could not be loaded.
import type { ReactNode } from 'react'
import type { MessagesPage } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { formatCount, plural } from '../common/format.ts'
import { ApiFailure } from '../state/api.ts'
import { enterSession } from '../state/view.ts'
import type { Facts, WindowState } from './window/window-state.ts'

type Partial = NonNullable<MessagesPage['partial']>

interface Props {
  state: WindowState
  facts: Facts
  again: () => void
  /** In a live conversation new messages arrive over the socket, so the reading is not announced. */
  isLive?: boolean
}

export function Banners({ state, facts, again, isLive = false }: Props) {
  const { pageFailure, rereadTotal } = state
  return (
    <>
      {facts.partial !== null && <PartialBanner partial={facts.partial} />}
      {(!facts.isComplete || rereadTotal !== undefined) && !isLive && (
        <Banner tone="live" role="status">
          Reading… {plural(rereadTotal ?? facts.total, 'message')} so far
        </Banner>
      )}
      {pageFailure !== undefined && (
        <Banner tone="lost" role="alert">
          <span className="min-w-0">Some messages could not be loaded. {wordsOf(pageFailure)}</span>
          <Button size="sm" onClick={again}>
            Try again
          </Button>
        </Banner>
      )}
    </>
  )
}

function PartialBanner({ partial }: { partial: Partial }) {
  const words = partialWords(partial)
  return (
    <Banner tone="damaged" role="status">
      <span className="min-w-0" title={cleanText(partial.text)}>
        {words}
      </span>
    </Banner>
  )
}

function partialWords({ code, text }: Partial): string {
  switch (code) {
    case 'still-being-written':
      return '⚠ Partial data (conversation may be updating)'
    case 'database-busy':
      return '⚠ Partial data (database busy, showing the last good reading)'
    case 'records-unreadable':
    case 'document-cut-short':
      return `⚠ Partial data: ${cleanText(text)}`
  }
}

/** Shown while a branch replaces the main line of messages. */
export function BranchBanner({ facts, branch, sessionKey }: { facts: Facts; branch: string; sessionKey: string }) {
  const known = facts.branches.find(({ id }) => id === branch)
  return (
    <Banner tone="live">
      <span className="min-w-0">
        {known?.kind === 'sidechain' ? 'A side chain' : 'An abandoned branch'} of this conversation,{' '}
        {formatCount(facts.total)} {facts.total === 1 ? 'message' : 'messages'}.
      </span>
      <Button size="sm" onClick={() => enterSession(sessionKey)}>
        Back to the conversation
      </Button>
    </Banner>
  )
}

const TONES = {
  damaged: 'bg-damaged-soft text-damaged',
  live: 'bg-live-soft text-live',
  lost: 'bg-lost-soft text-lost',
  archive: 'bg-sunken text-strong',
} as const

export function Banner({
  tone,
  role,
  children,
}: {
  tone: keyof typeof TONES
  role?: 'status' | 'alert'
  children: ReactNode
}) {
  return (
    <div
      role={role}
      className={`flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-1.5 text-sm [overflow-wrap:anywhere] ${TONES[tone]}`}
    >
      {children}
    </div>
  )
}

function wordsOf(failure: unknown): string {
  return failure instanceof ApiFailure ? `${failure.message} ${failure.hint}` : ''
}
