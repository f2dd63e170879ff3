// What changed between two restore points: messages that came, went or are different, and the bytes.
import type { ReactNode } from 'react'
import { useState } from 'react'
import type { ApiDifference, ApiMessageChange, ApiVersion } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { Dialog } from '../common/dialog.tsx'
import { formatBytes, formatCount, formatMoment, formatTime, plural } from '../common/format.ts'
import { ErrorState, Skeleton } from '../common/states.tsx'
import { renderAnsi } from '../conversation/parts/ansi.ts'
import { archiveApi } from '../state/api.ts'
import { useStore } from '../state/store.ts'
import { useRequest } from '../state/use-request.ts'
import { openVersion } from '../state/view.ts'
import { differenceAsked } from './archive-state.ts'
import { sizeWords } from './version-words.ts'

export function DifferenceDialog() {
  const asked = useStore(differenceAsked)
  return asked === null ? null : <Asked key={asked.key} sessionKey={asked.key} first={asked.from} last={asked.to} />
}

const close = () => differenceAsked.set(null)

function Asked({ sessionKey, first, last }: { sessionKey: string; first: number | undefined; last: number }) {
  const [from, setFrom] = useState(first ?? last)
  const [to, setTo] = useState(last)
  const list = useRequest(`compared ${sessionKey}`, signal => archiveApi.allVersions(sessionKey, signal))
  const request = useRequest(`difference ${sessionKey} ${from} ${to}`, signal =>
    archiveApi.difference(sessionKey, from, to, signal),
  )
  const versions = (list.answer?.versions ?? []).filter(({ exists }) => exists)
  const show = (version: number) => {
    close()
    openVersion(sessionKey, version)
  }
  return (
    <Dialog title="What changed" onClose={close} width="max-w-2xl" actions={<Button onClick={close}>Close</Button>}>
      <div className="flex flex-col gap-4">
        <div className="grid gap-3 sm:grid-cols-2">
          <Choice label="Earlier" value={from} versions={versions} onChange={setFrom} />
          <Choice label="Later" value={to} versions={versions} onChange={setTo} />
        </div>
        {request.state === 'failed' && <ErrorState failure={request.failure} again={request.again} />}
        {request.state === 'loading' && <Skeleton lines={6} label="Comparing" />}
        {request.state === 'answered' && <Result difference={request.answer} onShow={show} />}
      </div>
    </Dialog>
  )
}

interface ChoiceProps {
  label: string
  value: number
  versions: readonly ApiVersion[]
  onChange: (number: number) => void
}

function Choice({ label, value, versions, onChange }: ChoiceProps) {
  return (
    <label className="flex min-w-0 flex-col gap-1 text-quiet text-sm">
      {label}
      <select
        value={value}
        onChange={event => onChange(Number(event.target.value))}
        className="h-8 min-w-0 rounded-md border border-line-strong bg-page px-2 text-sm text-strong"
      >
        {versions.map(version => (
          <option key={version.number} value={version.number}>
            {formatMoment(version.time)} · {sizeWords(version)}
          </option>
        ))}
      </select>
    </label>
  )
}

function Result({ difference, onShow }: { difference: ApiDifference; onShow: (version: number) => void }) {
  const { from, to, came, went, changed, messages, more } = difference
  const bytes = to.bytes - from.bytes
  const figures = [
    came > 0 && `${plural(came, 'message')} came`,
    went > 0 && `${plural(went, 'message')} went`,
    changed > 0 && `${plural(changed, 'message')} changed`,
  ].filter(words => words !== false)
  return (
    <>
      <p role="status" className="text-base text-strong">
        {figures.length === 0 ? 'The messages are the same.' : `${figures.join(', ')}.`}{' '}
        <span className="text-quiet text-sm">
          {formatBytes(from.bytes)} → {formatBytes(to.bytes)}
          {bytes !== 0 && ` (${bytes > 0 ? '+' : '−'}${formatBytes(Math.abs(bytes))})`}
        </span>
      </p>
      {messages.length > 0 && (
        <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
          {messages.map(change => (
            <Change key={`${change.change} ${change.index}`} change={change} />
          ))}
        </ol>
      )}
      {more > 0 && <p className="text-quiet text-sm">and {formatCount(more)} more</p>}
      <p className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => onShow(from.number)}>
          Show the earlier state
        </Button>
        <Button size="sm" onClick={() => onShow(to.number)}>
          Show the later state
        </Button>
      </p>
    </>
  )
}

const CHANGES: Record<ApiMessageChange['change'], { sign: string; word: string; colour: string }> = {
  came: { sign: '+', word: 'Came', colour: 'text-healthy' },
  went: { sign: '−', word: 'Went', colour: 'text-lost' },
  changed: { sign: '~', word: 'Changed', colour: 'text-damaged' },
}
const ROLES: Record<ApiMessageChange['role'], string> = {
  user: 'You',
  assistant: 'Agent',
  tool: 'Tool',
  system: 'System',
}

function Change({ change: { change, role, time, text, chars, before } }: { change: ApiMessageChange }) {
  const { sign, word, colour } = CHANGES[change]
  return (
    <li className="flex gap-3 px-3 py-2 text-sm">
      <span className={`w-3 shrink-0 text-center font-mono ${colour}`}>
        <span aria-hidden="true">{sign}</span>
        <span className="sr-only">{word}</span>
      </span>
      <span className="min-w-0 flex-1">
        <span className="text-quiet text-xs">
          {ROLES[role]}
          {time !== null && ` · ${formatTime(time)}`}
          {before !== undefined && ` · ${formatCount(before.chars)} → ${plural(chars, 'character')}`}
        </span>
        {before !== undefined && before.text !== text && (
          <Excerpt className="text-quiet line-through">{plainText(before.text)}</Excerpt>
        )}
        <Excerpt className="text-strong">{plainText(text) || '(no text)'}</Excerpt>
      </span>
    </li>
  )
}

/** Without colours, empty lines, and everything else that a terminal would understand. */
function plainText(text: string): string {
  return renderAnsi(text)
    .map(run => run.text)
    .join('')
    .replace(/\n\s*\n/g, '\n')
    .trim()
}

function Excerpt({ className, children }: { className: string; children: ReactNode }) {
  return <span className={`line-clamp-3 whitespace-pre-wrap [overflow-wrap:anywhere] ${className}`}>{children}</span>
}
