// Lines above the message box: how the conversation was restored and what was lost, why a turn failed, and
// which process holds it.
import type { ReactNode } from 'react'
import { useState } from 'react'
import type { ApiError, TalkState } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanText } from '../common/clean.ts'
import { IconButton } from '../common/icon-button.tsx'
import { IconClose, IconLock, IconRefresh, IconUndo, IconWarning } from '../common/icons.tsx'
import { Hint } from '../common/states.tsx'
import { talkApi } from '../state/api.ts'
import { orToast } from './talk-actions.ts'

const TONES = {
  live: 'bg-live-soft [&>svg]:text-live',
  damaged: 'bg-damaged-soft [&>svg]:text-damaged',
  lost: 'bg-lost-soft [&>svg]:text-lost',
} as const

function Line({
  tone,
  icon,
  children,
  role,
}: {
  tone: keyof typeof TONES
  icon: ReactNode
  children: ReactNode
  role?: 'alert' | 'status'
}) {
  return (
    <div
      role={role}
      className={`flex items-start gap-2 rounded-md px-3 py-2 text-normal text-sm [&>svg]:mt-0.5 ${TONES[tone]}`}
    >
      {icon}
      {children}
    </div>
  )
}

/** The last restore. Can be dismissed until the next one. */
export function RestoredLine({ restored }: { restored: NonNullable<TalkState['restored']> }) {
  const [seen, setSeen] = useState<string>()
  if (seen === restored.time) return null
  return (
    <Line tone={restored.lost === null ? 'live' : 'damaged'} icon={<IconUndo size={16} />} role="status">
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <span className="font-medium text-strong">Restored by {cleanText(restored.rung)}: </span>
        {cleanText(restored.text)}
        {restored.lost !== null && (
          <>
            {' '}
            <span className="font-medium text-strong">What may be missing: </span>
            {cleanText(restored.lost)}
          </>
        )}
      </p>
      <span className="-my-1.5 -mr-2">
        <IconButton size="sm" label="Dismiss" onClick={() => setSeen(restored.time)}>
          <IconClose size={14} />
        </IconButton>
      </span>
    </Line>
  )
}

export function FailureLine({
  sessionKey,
  failure,
}: {
  sessionKey: string
  failure: NonNullable<TalkState['failure']>
}) {
  const { text, hint, prompt } = failure
  return (
    <Line tone="lost" icon={<IconWarning size={16} />} role="alert">
      <div className="flex min-w-0 flex-1 flex-col items-start gap-1.5 [overflow-wrap:anywhere]">
        <p className="text-strong">{cleanText(text)}</p>
        <Hint text={cleanText(hint)} />
      </div>
      {prompt !== null && (
        <Button
          size="sm"
          icon={<IconRefresh size={14} />}
          onClick={() => void orToast(() => talkApi.prompt(sessionKey, prompt))}
        >
          Send again
        </Button>
      )}
    </Line>
  )
}

/** Another rethread process holds the conversation, or it cannot be followed. */
export function HeldLine({ sessionKey, error }: { sessionKey: string; error: ApiError }) {
  return (
    <Line tone="damaged" icon={<IconLock size={16} />} role="status">
      <div className="flex min-w-0 flex-1 flex-col items-start gap-1.5 [overflow-wrap:anywhere]">
        <p className="text-strong">{cleanText(error.text)}</p>
        <Hint text={cleanText(error.hint)} />
      </div>
      <Button size="sm" icon={<IconRefresh size={14} />} onClick={() => void orToast(() => talkApi.state(sessionKey))}>
        Try again
      </Button>
    </Line>
  )
}
