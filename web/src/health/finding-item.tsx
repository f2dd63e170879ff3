// One finding: what is wrong and where. A click shows it in the conversation; another shows why it matters,
// and the record.
import type { Ref } from 'react'
import { useRef, useState } from 'react'
import type { ApiFinding } from '../../../src/server/protocol.ts'
import { cleanText } from '../common/clean.ts'
import { FindingDetails } from '../common/finding-details.tsx'
import { IconInfo, IconWarning } from '../common/icons.tsx'
import { jump, showPane } from '../state/view.ts'
import { damageWords, fileName, placeWords } from './finding-groups.ts'

const INK = { lost: 'text-lost', updating: 'text-live', survived: 'text-damaged' } as const

interface Props {
  sessionKey: string
  /** Only places in the session file can be opened. */
  filePath: string | undefined
  finding: ApiFinding
}

export function FindingItem({ sessionKey, filePath, finding }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const ink = INK[finding.severity]
  const { at } = finding
  const isOwn = 'start' in at && (filePath === undefined || at.file === filePath)
  const goal = finding.message !== undefined ? { message: finding.message } : isOwn ? { byte: at.start } : undefined
  const Icon = finding.severity === 'updating' ? IconInfo : IconWarning
  const toggle = useRef<HTMLButtonElement>(null)
  const close = () => {
    toggle.current?.focus()
    setIsOpen(false)
  }
  const go = () => {
    if (goal === undefined) return
    jump.set({ session: sessionKey, to: goal })
    showPane('conversation')
  }
  return (
    <li className="flex flex-col gap-1 py-2">
      <div className="flex items-start gap-2">
        <Icon size={14} className={`mt-[3px] ${ink}`} />
        {finding.meaning !== undefined && <span className="sr-only">{finding.meaning}:</span>}
        <p className="min-w-0 text-normal text-sm [overflow-wrap:anywhere]">{cleanText(finding.text)}</p>
      </div>
      <p className="pl-[22px] text-quiet text-xs [overflow-wrap:anywhere]">
        {damageWords(finding.damage)} · {placeWords(at)}
        {!isOwn && ` in ${fileName(at.file)}`}
      </p>
      <p className="flex gap-4 pl-[22px] text-sm">
        {goal !== undefined && <TextButton onClick={go}>Show in conversation</TextButton>}
        <TextButton ref={toggle} isExpanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Hide details' : 'Show details'}
        </TextButton>
      </p>
      {isOpen && <FindingDetails {...{ sessionKey, finding }} hasBytes={isOwn} onClose={close} />}
    </li>
  )
}

interface TextButtonProps {
  ref?: Ref<HTMLButtonElement>
  isExpanded?: boolean
  onClick: () => void
  children: React.ReactNode
}

export function TextButton({ ref, isExpanded, onClick, children }: TextButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      aria-expanded={isExpanded}
      onClick={onClick}
      className="rounded text-accent underline-offset-2 hover:underline"
    >
      {children}
    </button>
  )
}
