// The lines of a sanitize report about one conversation, each with a mark for its severity.
import type { SanitizeLine } from '../../../src/server/protocol.ts'
import { cleanText } from '../common/clean.ts'
import { CopyCommand } from '../common/copy-command.tsx'
import { IconCheck, IconInfo, IconWarning } from '../common/icons.tsx'
import { Hint } from '../common/states.tsx'

const LOOKS = {
  repaired: { Icon: IconCheck, ink: 'text-healthy' },
  degraded: { Icon: IconInfo, ink: 'text-damaged' },
  trashed: { Icon: IconWarning, ink: 'text-damaged' },
  skipped: { Icon: IconInfo, ink: 'text-live' },
  lockedOut: { Icon: IconWarning, ink: 'text-lost' },
  blocked: { Icon: IconWarning, ink: 'text-lost' },
  left: { Icon: IconWarning, ink: 'text-damaged' },
  noticed: { Icon: IconInfo, ink: 'text-quiet' },
} as const

export function ReportLines({ lines }: { lines: readonly SanitizeLine[] }) {
  const isTrashed = lines.some(({ part }) => part === 'trashed')
  return (
    <div className="flex flex-col gap-2">
      <ul className="flex flex-col gap-1.5">
        {lines.map(({ part, text }) => {
          const { Icon, ink } = LOOKS[part]
          return (
            <li key={`${part} ${text}`} className="flex items-start gap-2 text-normal text-sm">
              <Icon size={14} className={`mt-[3px] ${ink}`} />
              <span className="min-w-0 [overflow-wrap:anywhere]">{cleanText(text)}</span>
            </li>
          )
        })}
      </ul>
      {[...new Set(lines.flatMap(({ remark }) => remark ?? []))].map(remark => (
        <Remark key={remark} text={cleanText(remark)} />
      ))}
      {isTrashed && <Hint text="It can be brought back: rethread trash list" />}
    </div>
  )
}

/** A text that ends with a colon and a command to paste. */
const COMMAND = /^(.*:)\s+([a-z][\w-]*\s.+)$/s

function Remark({ text }: { text: string }) {
  const [, words, command] = COMMAND.exec(text) ?? []
  if (words === undefined || command === undefined) return <p className="text-normal text-sm">{text}</p>
  return (
    <div className="flex max-w-full flex-col items-start gap-1.5 text-normal text-sm">
      <p>{words}</p>
      <CopyCommand command={command} />
    </div>
  )
}
