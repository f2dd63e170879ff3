// What is wrong at this place of the conversation: which bytes, and what the cure is. The bytes themselves are one click away.
import { useRef } from 'react'
import { BytesView } from '../common/bytes-view.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import { plural } from '../common/format.ts'
import { IconInfo, IconWarning } from '../common/icons.tsx'
import { useConversation, useFold } from './conversation-context.ts'
import type { PlacedFinding } from './finding-places.ts'

const TONES = {
  lost: { look: 'border-lost bg-lost-soft', ink: 'text-lost', word: 'Damage' },
  updating: { look: 'border-live bg-live-soft', ink: 'text-live', word: 'Still being written' },
  survived: { look: 'border-damaged bg-damaged-soft', ink: 'text-damaged', word: 'Damage, no words lost' },
} as const

export function FindingMarker({ placed }: { placed: PlacedFinding }) {
  const { finding, key } = placed
  const { filePath, sessionKey } = useConversation()
  const [isOpen, setIsOpen] = useFold(`finding ${key}`)
  const { look, ink, word } = TONES[finding.severity]
  const Icon = finding.severity === 'updating' ? IconInfo : IconWarning
  const { at } = finding
  const toggle = useRef<HTMLButtonElement>(null)
  const close = () => {
    toggle.current?.focus()
    setIsOpen(false)
  }
  const canShow = 'start' in at && (filePath === undefined || at.file === filePath)
  return (
    <div
      role="note"
      aria-label={`Finding: ${cleanLine(finding.damage)}`}
      data-finding={key}
      tabIndex={-1}
      className={`mt-4 rounded-md border-l-4 px-3 py-2 text-sm ${look}`}
    >
      <p className="flex items-start gap-2">
        <Icon size={16} className={`mt-0.5 ${ink}`} />
        <span className="min-w-0 text-strong [overflow-wrap:anywhere]">{cleanText(finding.text)}</span>
      </p>
      <p className="mt-1 pl-6 text-quiet text-xs [overflow-wrap:anywhere]">
        <span className={ink}>{word}</span> · <span className="font-mono">{cleanLine(finding.damage)}</span> ·{' '}
        {placeOf(finding.at)}
      </p>
      {finding.hint !== '' && <p className="mt-1 pl-6 text-normal">{cleanText(finding.hint)}</p>}
      {canShow && (
        <button
          ref={toggle}
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="mt-1 ml-6 text-accent underline underline-offset-2"
        >
          {isOpen ? 'Hide bytes' : 'Why? Show bytes'}
        </button>
      )}
      {canShow && isOpen && (
        <BytesView sessionKey={sessionKey} mark={{ start: at.start, end: at.end }} onClose={close} />
      )}
    </div>
  )
}

function placeOf(at: PlacedFinding['finding']['at']): string {
  if (!('start' in at)) return `row ${cleanLine(String(at.row))} of table ${cleanLine(at.table)}`
  const length = at.end - at.start
  if (length <= 0) return `before byte ${at.start.toLocaleString('en-GB')}`
  return `bytes ${at.start.toLocaleString('en-GB')} to ${(at.end - 1).toLocaleString('en-GB')} (${plural(length, 'byte')})`
}
