// Hex and text side by side around a place in a session file, exactly as stored. The width of a row follows
// the available room.
import type { RefObject } from 'react'
import { useMemo, useRef, useState } from 'react'
import { useConversation } from '../conversation/conversation-context.ts'
import { useEscape, useShortcut } from '../keyboard.ts'
import { api } from '../state/api.ts'
import { useRequest } from '../state/use-request.ts'
import { Button } from './button.tsx'
import { cleanLine } from './clean.ts'
import { formatBytes, formatCount } from './format.ts'
import type { ByteMark } from './hex-rows.ts'
import { atLeastOne, countRuns, fromBase64, hexRows, spanAround } from './hex-rows.ts'
import { HexTable, useRowWidth } from './hex-table.tsx'
import { ErrorState, Skeleton } from './states.tsx'

const AROUND = 96
/** The most bytes in one request. The buttons request more. */
const MOST = 4096
const STEP = 1024
const ROW_PX = 18

interface Props {
  sessionKey: string
  mark: ByteMark
  /** Esc closes the bytes and leaves the conversation open. */
  onClose: () => void
}

export function BytesView({ sessionKey, mark, onClose }: Props) {
  const [span, setSpan] = useState(() => spanAround(mark, AROUND, MOST))
  // In the health pane, that is the present state.
  const { version } = useConversation()
  const request = useRequest(`${sessionKey} ${span.start} ${span.end} ${version}`, signal =>
    api.bytes(sessionKey, { ...span, version }, signal),
  )
  const box = useRef<HTMLDivElement>(null)
  const { answer } = request
  const width = useRowWidth(box, answer?.end ?? span.end)
  const rows = useMemo(
    () =>
      answer === undefined ? [] : countRuns(hexRows(fromBase64(answer.base64), answer.start, atLeastOne(mark), width)),
    [answer, mark, width],
  )
  const scrolling = useScrollKeys(box)
  useEscape('Close the bytes', onClose)
  if (request.state === 'failed') return <ErrorState failure={request.failure} again={request.again} />
  return (
    <div ref={box} className="mt-2 min-w-0 rounded-md border border-line bg-page" {...scrolling}>
      {answer === undefined ? (
        <Skeleton lines={5} label="Loading bytes" />
      ) : (
        <>
          <p className="border-line border-b px-3 py-1.5 text-quiet text-xs [overflow-wrap:anywhere]">
            {formatCount(answer.start)} to {formatCount(answer.end - 1)} of {formatCount(answer.fileSize)} bytes in{' '}
            <span className="font-mono" title={cleanLine(answer.file)}>
              {cleanLine(answer.file.split(/[/\\]/).at(-1) ?? '')}
            </span>
            . The damaged bytes are underlined.
          </p>
          <HexTable rows={rows} label={`Bytes ${answer.start} to ${answer.end - 1}`} />
          <div className="flex flex-wrap items-center gap-x-2 border-line border-t px-2 py-1">
            <Step isOff={answer.start === 0} to={() => setSpan({ ...span, start: Math.max(0, span.start - STEP) })}>
              Earlier bytes
            </Step>
            <Step isOff={answer.end >= answer.fileSize} to={() => setSpan({ ...span, end: span.end + STEP })}>
              Later bytes
            </Step>
            {mark.end > answer.end && (
              <Step to={() => setSpan({ start: Math.max(0, mark.end - STEP), end: mark.end + AROUND })}>
                End of the finding ({formatBytes(mark.end - answer.end)} further)
              </Step>
            )}
          </div>
        </>
      )}
    </div>
  )
}

function Step({ isOff = false, to, children }: { isOff?: boolean; to: () => void; children: React.ReactNode }) {
  return (
    <Button variant="quiet" size="sm" disabled={isOff} onClick={to}>
      {children}
    </Button>
  )
}

/** While the bytes have the focus, the arrow keys scroll them instead of the list of conversations. */
function useScrollKeys(box: RefObject<HTMLDivElement | null>) {
  const [hasFocus, setHasFocus] = useState(false)
  const scroll = (rows: number) => {
    box.current?.querySelector('[data-scrolls]')?.scrollBy({ top: rows * ROW_PX })
  }
  useShortcut('ArrowDown', 'Scroll the bytes down', () => scroll(1), hasFocus)
  useShortcut('ArrowUp', 'Scroll the bytes up', () => scroll(-1), hasFocus)
  return { onFocus: () => setHasFocus(true), onBlur: () => setHasFocus(false) }
}
