// Marks a finding at its place in the conversation. A click shows why it matters, and the record.
import { useRef } from 'react'
import { cleanLine, cleanText } from '../common/clean.ts'
import { FindingDetails } from '../common/finding-details.tsx'
import { IconInfo, IconWarning } from '../common/icons.tsx'
import { Hint } from '../common/states.tsx'
import { damageWords, placeWords } from '../health/finding-groups.ts'
import { useConversation, useFold } from './conversation-context.ts'
import type { PlacedFinding } from './finding-places.ts'

const TONES = {
  lost: { look: 'border-lost bg-lost-soft', ink: 'text-lost', word: 'Damage' },
  updating: { look: 'border-live bg-live-soft', ink: 'text-live', word: 'Still being written' },
  survived: { look: 'border-damaged bg-damaged-soft', ink: 'text-damaged', word: 'Damage, still readable' },
} as const

export function FindingMarker({ placed }: { placed: PlacedFinding }) {
  const { finding, key } = placed
  const { filePath, sessionKey } = useConversation()
  const [isOpen, setIsOpen] = useFold(`finding ${key}`)
  const { look, ink, word } = TONES[finding.severity]
  const Icon = finding.severity === 'updating' ? IconInfo : IconWarning
  const { at } = finding
  const hasBytes = 'start' in at && (filePath === undefined || at.file === filePath)
  const toggle = useRef<HTMLButtonElement>(null)
  const close = () => {
    toggle.current?.focus()
    setIsOpen(false)
  }
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
      <div className="flex flex-col gap-1 pl-6">
        <p className="mt-1 text-quiet text-xs [overflow-wrap:anywhere]">
          <span className={ink}>{word}</span> · {damageWords(finding.damage)} · {placeWords(at)}
        </p>
        <Hint text={cleanText(finding.hint)} />
        <button
          ref={toggle}
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="w-fit rounded text-accent underline underline-offset-2"
        >
          {isOpen ? 'Hide details' : 'Show details'}
        </button>
        {isOpen && <FindingDetails {...{ sessionKey, finding, hasBytes }} onClose={close} />}
      </div>
    </div>
  )
}
