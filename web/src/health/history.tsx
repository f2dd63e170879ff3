// The repairs of this conversation: time, damages, the backup copy, and undo.
import type { ApiReceipt } from '../../../src/server/protocol.ts'
import { cleanText } from '../common/clean.ts'
import { formatMoment, plural } from '../common/format.ts'
import { IconDownload, IconUndo } from '../common/icons.tsx'
import { addresses } from '../state/api.ts'
import { damageWords } from './finding-groups.ts'
import { HealthSection } from './section.tsx'
import { runUndo } from './work.ts'

const STATES: Record<ApiReceipt['state'], string> = {
  started: 'Not finished',
  applied: 'Repaired',
  'rolled-back': 'Rolled back automatically',
  undone: 'Undone',
  failed: 'Failed; nothing was changed',
}
const LINK = 'inline-flex items-center gap-1 rounded text-accent underline-offset-2 hover:underline'

interface Props {
  sessionKey: string
  receipts: readonly ApiReceipt[]
  isWorking: boolean
}

export function History({ sessionKey, receipts, isWorking }: Props) {
  if (receipts.length === 0) return null
  return (
    <HealthSection title="History">
      <ol className="flex flex-col divide-y divide-line">
        {receipts.map(receipt => (
          <li key={receipt.id} className="flex flex-col gap-1 py-2 text-sm">
            <p className="flex justify-between gap-3">
              <span className="font-medium text-strong">{wordsOf(receipt)}</span>
              <time dateTime={receipt.time} className="shrink-0 text-quiet">
                {formatMoment(receipt.time)}
              </time>
            </p>
            <p className="text-quiet text-xs [overflow-wrap:anywhere]">
              {plural(receipt.edits, 'change')}
              {receipt.action === 'repair' && `: ${receipt.damages.map(damageWords).join(', ')}`}
            </p>
            {receipt.note !== undefined && (
              <p className="text-normal [overflow-wrap:anywhere]">{cleanText(receipt.note)}</p>
            )}
            <Ways {...{ sessionKey, receipt, isWorking }} />
          </li>
        ))}
      </ol>
    </HealthSection>
  )
}

function wordsOf({ state, action }: ApiReceipt): string {
  return state === 'applied' && action === 'restore' ? 'Restored from the archive' : STATES[state]
}

function Ways({ sessionKey, receipt, isWorking }: Omit<Props, 'receipts'> & { receipt: ApiReceipt }) {
  const { id, state, action, hasBackup, hasCopy, time } = receipt
  if (!hasBackup) return <p className="text-quiet text-xs">The copy has expired and was deleted.</p>
  return (
    <p className="flex gap-4">
      {state === 'applied' && (
        <button
          type="button"
          disabled={isWorking}
          aria-label={`Undo the ${action} of ${formatMoment(time)}`}
          onClick={() => void runUndo(sessionKey, id)}
          className={`${LINK} disabled:opacity-50`}
        >
          <IconUndo size={14} />
          Undo
        </button>
      )}
      {hasCopy && (
        <a
          href={addresses.backup(id)}
          download
          aria-label={`Download the copy from before the ${action} of ${formatMoment(time)}`}
          className={LINK}
        >
          <IconDownload size={14} />
          Copy from before
        </a>
      )}
    </p>
  )
}
