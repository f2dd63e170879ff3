// What a run says about a conversation, line by line, each with a mark for how good that is.
import type { SanitizeLine } from '../../../src/server/protocol.ts'
import { cleanText } from '../common/clean.ts'
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
      {isTrashed && <Hint text="It can be brought back: rethread trash list" />}
    </div>
  )
}
