// The status of a session as an icon and a word, never only as a colour.
import type { ReactNode } from 'react'
import type { SessionStatus } from '../../../src/server/protocol.ts'

export type StatusName = SessionStatus | 'unchecked' | 'live'

const WORDS: Record<StatusName, string> = {
  healthy: 'Healthy',
  corrupted: 'Damaged',
  repairing: 'Repairing',
  repaired: 'Repaired',
  busy: 'Busy',
  missing: 'Missing',
  unreadable: 'Unreadable',
  unrecoverable: 'Cannot be repaired',
  unchecked: 'Not checked yet',
  live: 'Live',
}

const COLOURS: Record<StatusName, string> = {
  healthy: 'text-healthy',
  corrupted: 'text-damaged',
  repairing: 'text-live',
  repaired: 'text-healthy',
  busy: 'text-live',
  missing: 'text-lost',
  unreadable: 'text-lost',
  unrecoverable: 'text-lost',
  unchecked: 'text-quiet',
  live: 'text-live',
}

/** Small shapes: a dot is healthy, a triangle needs repair, a cross is lost, a ring is open. */
const SHAPES: Record<StatusName, ReactNode> = {
  healthy: <circle cx="8" cy="8" r="3.5" fill="currentColor" stroke="none" />,
  corrupted: <path d="M8 2.8L2 13.2h12zM8 7v2.6M8 11.4v.1" />,
  repairing: <path d="M13 8a5 5 0 11-1.6-3.7M13.2 2.2v2.6h-2.6" />,
  repaired: <path d="M3 8.5l3.2 3.2L13 5" strokeWidth="2" />,
  busy: <path d="M5 2.8h6M5 13.2h6M5.5 3c0 3 5 4 5 5s-5 2-5 5M10.5 3c0 3-5 4-5 5s5 2 5 5" />,
  missing: <path d="M8 2.5a5.5 5.5 0 110 11 5.5 5.5 0 010-11z" strokeDasharray="2.4 2" />,
  unreadable: <path d="M4.5 7.5h7v5.5h-7zM6 7.5V5.2a2 2 0 014 0v2.3" />,
  unrecoverable: <path d="M4 4l8 8M12 4l-8 8" strokeWidth="1.8" />,
  unchecked: <circle cx="8" cy="8" r="3.2" />,
  live: (
    <>
      <circle cx="8" cy="8" r="2.2" fill="currentColor" stroke="none" />
      <circle cx="8" cy="8" r="5.2" />
    </>
  ),
}

export function StatusMark({ status, withWord = false }: { status: StatusName; withWord?: boolean }) {
  const word = WORDS[status]
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 ${COLOURS[status]}`}>
      <svg
        viewBox="0 0 16 16"
        width="16"
        height="16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
        className="shrink-0"
      >
        {SHAPES[status]}
      </svg>
      <span className={withWord ? 'font-medium' : 'sr-only'}>{word}</span>
    </span>
  )
}
