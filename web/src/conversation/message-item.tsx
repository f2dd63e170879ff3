// One message: speaker, time and parts.
import { memo } from 'react'
import type { ApiMessage } from '../../../src/server/protocol.ts'
import { cleanLine } from '../common/clean.ts'
import { formatDay, formatMoment, formatTime } from '../common/format.ts'
import { IconLink } from '../common/icons.tsx'
import { linkTo } from '../state/view.ts'
import { PENDING_ID } from '../talk/live-messages.ts'
import { MessageMenu } from '../talk/message-menu.tsx'
import { GrowingContext, useConversation } from './conversation-context.ts'
import { CopyButton } from './parts/copy-button.tsx'
import { MessagePart } from './parts/message-part.tsx'
import type { MessageView } from './window/message-views.ts'

export const MessageItem = memo(function MessageItem({ view }: { view: MessageView }) {
  const { message, isHidden, isContinued, isFirstOfDay } = view
  if (isHidden) return null
  return (
    <>
      {isFirstOfDay && message.time !== null && <DayLine time={message.time} />}
      <div className={`group/message relative ${isContinued ? 'py-1' : 'pt-5 pb-1'}`}>
        {message.isOpen !== true && <LinkButton message={message} isContinued={isContinued} />}
        <Heading message={message} isContinued={isContinued} />
        <div className="flex min-w-0 flex-col gap-2">
          <GrowingContext value={message.isOpen === true}>
            {message.parts.map((part, number) => (
              <MessagePart
                // biome-ignore lint/suspicious/noArrayIndexKey: the number of a part is its name
                key={number}
                part={part}
                index={message.index}
                number={number}
                time={message.time}
                result={view.results[number]}
                isPlaced={view.placed[number] === true}
              />
            ))}
          </GrowingContext>
          {message.parts.length === 0 && message.isOpen !== true && (
            <p className="text-quiet text-sm italic">Empty message</p>
          )}
        </div>
      </div>
    </>
  )
})

/** Shown under the pointer and with the focus. Where there is no pointer, beside the heading of a message. */
function LinkButton({ message, isContinued }: { message: ApiMessage; isContinued: boolean }) {
  const { sessionKey, branch } = useConversation()
  if (message.id === PENDING_ID) return null
  return (
    <CopyButton
      label={`Copy link to message ${message.index + 1}`}
      icon={<IconLink size={14} />}
      textOf={() => linkTo(sessionKey, branch, message.id)}
      className={`absolute -right-3.5 z-10 bg-page opacity-0 focus-visible:opacity-100 group-hover/message:opacity-100 [@media(hover:none)]:opacity-100 ${isContinued ? 'top-0 [@media(hover:none)]:hidden' : 'top-4'}`}
    />
  )
}

function Heading({ message, isContinued }: { message: ApiMessage; isContinued: boolean }) {
  const { agentTitle, isTalk, sessionKey } = useConversation()
  const isQuiet = message.role === 'system' || message.role === 'tool'
  return (
    <div className={isContinued ? 'sr-only' : 'mb-1 flex items-center gap-1'}>
      <h3 id={`message-${message.index}`} className="flex min-w-0 items-baseline gap-2 text-quiet text-xs">
        <span className={`text-sm ${isQuiet ? 'text-quiet' : 'font-semibold text-strong'}`}>
          {speakerOf(message.role, agentTitle)}
        </span>
        {message.time !== null && (
          <time dateTime={message.time} title={formatMoment(message.time)}>
            {formatTime(message.time)}
          </time>
        )}
        {message.model !== undefined && <span className="min-w-0 truncate">{cleanLine(message.model)}</span>}
      </h3>
      {isTalk && !isContinued && <MessageMenu sessionKey={sessionKey} message={message} />}
    </div>
  )
}

function speakerOf(role: ApiMessage['role'], agentTitle: string): string {
  switch (role) {
    case 'user':
      return 'You'
    case 'assistant':
      return agentTitle === '' ? 'Agent' : agentTitle
    case 'tool':
      return 'Tool'
    case 'system':
      return 'System'
  }
}

function DayLine({ time }: { time: string }) {
  return (
    <p className="flex items-center gap-3 pt-5 text-quiet text-xs">
      <span className="h-px flex-1 bg-line" />
      {formatDay(time)}
      <span className="h-px flex-1 bg-line" />
    </p>
  )
}
