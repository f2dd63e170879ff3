// The findings, grouped if there are many, and what was not repaired and why.
import { useState } from 'react'
import type { ApiVerdict } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { CopyCommand } from '../common/copy-command.tsx'
import { formatCount, plural } from '../common/format.ts'
import { Hint } from '../common/states.tsx'
import type { FindingGroup } from './finding-groups.ts'
import { damageWords, groupFindings } from './finding-groups.ts'
import { FindingItem } from './finding-item.tsx'
import { HealthSection } from './section.tsx'

const SHOWN_FIRST = 20

interface Props {
  sessionKey: string
  filePath: string | undefined
  verdict: ApiVerdict
}

export function FindingsList({ sessionKey, filePath, verdict }: Props) {
  const { findings, moreFindings } = verdict
  const total = findings.length + moreFindings
  if (total === 0) return null
  const groups = groupFindings(findings)
  const hints = [...new Set(findings.map(({ hint }) => hint).filter(hint => hint !== ''))]
  return (
    <HealthSection title={plural(total, 'finding')}>
      {groups.map(group => (
        <Group key={group.damage} {...{ group, sessionKey, filePath }} />
      ))}
      {moreFindings > 0 && (
        <div className="flex flex-col items-start gap-1.5 py-2 text-quiet text-sm">
          <p>{formatCount(moreFindings)} more are not listed here. All of them:</p>
          <CopyCommand command={verdict.checkCommand} />
        </div>
      )}
      {hints.length === 1 && <Hint text={cleanText(hints[0] ?? '')} />}
    </HealthSection>
  )
}

type GroupProps = { group: FindingGroup } & Pick<Props, 'sessionKey' | 'filePath'>

function Group({ group, sessionKey, filePath }: GroupProps) {
  const [isOpen, setIsOpen] = useState(group.damage === '')
  if (group.damage === '') return <Items {...{ group, sessionKey, filePath }} />
  return (
    <details open={isOpen} onToggle={event => setIsOpen(event.currentTarget.open)} className="border-line border-b">
      <summary className="flex items-center gap-2 py-2 text-sm text-strong">
        <span aria-hidden="true" className={`inline-block transition-transform ${isOpen ? 'rotate-90' : ''}`}>
          ›
        </span>
        <span className="min-w-0 flex-1">{damageWords(group.damage)}</span>
        <span className="text-quiet tabular-nums">{formatCount(group.findings.length)}</span>
      </summary>
      {isOpen && <Items {...{ group, sessionKey, filePath }} />}
    </details>
  )
}

function Items({ group, sessionKey, filePath }: GroupProps) {
  const [isAll, setIsAll] = useState(false)
  const shown = isAll ? group.findings : group.findings.slice(0, SHOWN_FIRST)
  return (
    <>
      <ul className="flex flex-col divide-y divide-line">
        {shown.map(finding => (
          <FindingItem key={JSON.stringify(finding.at)} {...{ sessionKey, filePath, finding }} />
        ))}
      </ul>
      {shown.length < group.findings.length && (
        <Button size="sm" variant="quiet" onClick={() => setIsAll(true)}>
          Show all {formatCount(group.findings.length)}
        </Button>
      )}
    </>
  )
}

export function Refusals({ verdict }: { verdict: ApiVerdict }) {
  if (verdict.refusals.length === 0) return null
  return (
    <HealthSection title="Left alone">
      <ul className="flex flex-col gap-2">
        {verdict.refusals.map(({ damage, text }) => (
          <li key={`${damage} ${text}`} className="text-normal text-sm [overflow-wrap:anywhere]">
            {cleanText(text)} <span className="text-quiet text-xs">({damageWords(damage)})</span>
          </li>
        ))}
      </ul>
    </HealthSection>
  )
}
