// The last repairs.
import type { ApiReceipt } from '../../../src/server/protocol.ts'
import { formatAge, plural } from '../common/format.ts'
import { HomeSection, Nothing } from './section.tsx'
import { SessionLine } from './session-line.tsx'

const SHOWN = 6

const WORDS: Record<ApiReceipt['state'], string> = {
  started: 'not finished',
  applied: 'repaired',
  'rolled-back': 'rolled back',
  undone: 'undone',
  failed: 'failed',
}

export function Repairs({ repairs }: { repairs: readonly ApiReceipt[] }) {
  return (
    <HomeSection title="Last repairs">
      {repairs.length === 0 ? (
        <Nothing>No repairs yet. Every repair is listed here and can be undone.</Nothing>
      ) : (
        <ul className="-mx-2">
          {repairs.slice(0, SHOWN).map(receipt => (
            <li key={receipt.id} title={`${plural(receipt.edits, 'edit')}: ${receipt.damages.join(', ')}`}>
              <SessionLine
                session={receipt}
                aside={`${receipt.state === 'applied' && receipt.action === 'restore' ? 'restored' : WORDS[receipt.state]} · ${formatAge(receipt.time)}`}
              />
            </li>
          ))}
        </ul>
      )}
    </HomeSection>
  )
}
