// A plan: what it means first, then every change of the bytes.
import { useState } from 'react'
import type { ApiChange, ApiPlan } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import { formatBytes, formatCount, plural } from '../common/format.ts'
import { EditDiff } from './edit-diff.tsx'
import { damageWords } from './finding-groups.ts'

const SHOWN_FIRST = 10

/** Counts changes of all kinds. */
export function countChanges(plan: ApiPlan): number {
  return plan.changes.reduce((sum, change) => sum + sizeOf(change), 0)
}

function sizeOf(change: ApiChange): number {
  return change.type === 'patch' ? change.edits.length + change.moreEdits : 1
}

export function Meaning({ plan }: { plan: ApiPlan }) {
  const [isAll, setIsAll] = useState(false)
  const lines = isAll ? plan.meaning : plan.meaning.slice(0, SHOWN_FIRST)
  return (
    <>
      <ul className="flex list-disc flex-col gap-1.5 pl-4">
        {lines.map(({ damage, text }) => (
          <li key={`${damage} ${text}`} className="text-normal text-sm [overflow-wrap:anywhere]">
            {cleanText(text)} <span className="text-quiet text-xs">({damageWords(damage)})</span>
          </li>
        ))}
      </ul>
      {lines.length < plan.meaning.length && (
        <Button size="sm" variant="quiet" onClick={() => setIsAll(true)}>
          Show all {formatCount(plan.meaning.length)}
        </Button>
      )}
    </>
  )
}

export function PlanBytes({ plan }: { plan: ApiPlan }) {
  return (
    <div className="flex flex-col gap-4">
      {plan.changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the changes of a plan have no other name, and keep their order
        <Change key={at} change={change} />
      ))}
    </div>
  )
}

function Change({ change }: { change: ApiChange }) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h4 className="font-mono text-quiet text-xs [overflow-wrap:anywhere]">{cleanLine(change.file)}</h4>
      {change.type === 'patch' ? (
        <Edits change={change} />
      ) : (
        <p className="rounded-md border border-line px-3 py-2 text-sm text-strong [overflow-wrap:anywhere]">
          {wordsOf(change)} {cleanText(change.reason)}{' '}
          <span className="text-quiet text-xs">({damageWords(change.damage)})</span>
        </p>
      )}
    </section>
  )
}

function wordsOf(change: Exclude<ApiChange, { type: 'patch' }>): string {
  switch (change.type) {
    case 'remove':
      return 'The file is removed, and a copy kept.'
    case 'write':
      return `The file is written, ${formatBytes(change.bytes)}.`
    case 'row':
      return `A row of ${cleanLine(change.table)} is changed.`
    case 'rebuild-database':
      return 'The database is rebuilt from what can be read of it.'
  }
}

function Edits({ change }: { change: Extract<ApiChange, { type: 'patch' }> }) {
  const [shown, setShown] = useState(SHOWN_FIRST)
  const left = change.edits.length - shown
  return (
    <>
      {change.edits.slice(0, shown).map(edit => (
        <EditDiff key={`${edit.start} ${edit.end} ${edit.damage}`} edit={edit} />
      ))}
      {left > 0 && (
        <Button size="sm" className="self-start" onClick={() => setShown(shown + 5 * SHOWN_FIRST)}>
          Show {Math.min(left, 5 * SHOWN_FIRST)} more of {formatCount(left)}
        </Button>
      )}
      {left <= 0 && change.moreEdits > 0 && (
        <p className="text-quiet text-sm">{plural(change.moreEdits, 'further edit')} of this file not shown here.</p>
      )}
    </>
  )
}
