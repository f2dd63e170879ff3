// Why something is a finding: cause, effect and repair first, then the record as JSON, then the bytes as
// proof.
import { useRef, useState } from 'react'
import type { ApiFinding } from '../../../src/server/protocol.ts'
import { useConversation } from '../conversation/conversation-context.ts'
import { useEscape } from '../keyboard.ts'
import { api } from '../state/api.ts'
import { useRequest } from '../state/use-request.ts'
import { BytesView } from './bytes-view.tsx'
import { cleanText } from './clean.ts'
import { fromBase64 } from './hex-rows.ts'
import { recordText } from './record-text.ts'

/** The most bytes of a record in one request. Of a longer record the start is shown. */
const MOST_BYTES = 48 * 1024

interface Props {
  sessionKey: string
  finding: ApiFinding
  /** The finding is in the session file, so its bytes can be shown. */
  hasBytes: boolean
  onClose: () => void
}

export function FindingDetails({ sessionKey, finding, hasBytes, onClose }: Props) {
  const { at, why, detail } = finding
  useEscape('Close the details', onClose)
  return (
    <div className="mt-2 flex min-w-0 flex-col gap-2 text-normal text-sm [overflow-wrap:anywhere]">
      {why !== undefined && <p className="max-w-[72ch]">{cleanText(why)}</p>}
      {detail !== undefined && <p className="text-quiet text-xs">{cleanText(detail)}</p>}
      {hasBytes && 'start' in at && <Stored sessionKey={sessionKey} mark={at} />}
    </div>
  )
}

function Stored({ sessionKey, mark }: { sessionKey: string; mark: { start: number; end: number } }) {
  const [isOpen, setIsOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  const close = () => {
    toggle.current?.focus()
    setIsOpen(false)
  }
  return (
    <>
      {mark.end > mark.start && <RecordView sessionKey={sessionKey} mark={mark} />}
      <button
        ref={toggle}
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="w-fit rounded text-accent underline-offset-2 hover:underline"
      >
        {isOpen ? 'Hide bytes' : 'Show bytes'}
      </button>
      {isOpen && <BytesView sessionKey={sessionKey} mark={mark} onClose={close} />}
    </>
  )
}

/** The record as formatted JSON if it is valid, otherwise as text. */
function RecordView({
  sessionKey,
  mark: { start, end },
}: {
  sessionKey: string
  mark: { start: number; end: number }
}) {
  const last = Math.min(end, start + MOST_BYTES)
  const { version } = useConversation()
  const { answer } = useRequest(`record ${sessionKey} ${start} ${last} ${version}`, signal =>
    api.bytes(sessionKey, { start, end: last, version }, signal),
  )
  // The byte view below reports a failure.
  if (answer === undefined) return null
  const { text, isJson } = recordText(fromBase64(answer.base64), last < end)
  return (
    <figure
      aria-label={isJson ? 'The record as JSON' : 'The record as text'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-60 overflow-auto rounded-md border border-line bg-page px-3 py-2"
    >
      <pre className="whitespace-pre-wrap font-mono text-xs leading-[18px]">{cleanText(text)}</pre>
    </figure>
  )
}
