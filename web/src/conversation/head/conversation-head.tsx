// The head of a conversation: title, facts and navigation. Three short lines on a phone.
import { useEffect } from 'react'
import type { SessionDetail } from '../../../../src/server/protocol.ts'
import { Button } from '../../common/button.tsx'
import { cleanLine } from '../../common/clean.ts'
import { IconButton } from '../../common/icon-button.tsx'
import { IconChevronLeft, IconCopy, IconPanelRight, IconPlay } from '../../common/icons.tsx'
import { useLayout } from '../../common/use-layout.ts'
import { PaneTabs } from '../../frame/pane-tabs.tsx'
import { resumeSession } from '../../state/actions.ts'
import { useStore } from '../../state/store.ts'
import { openTitle, showPane, view } from '../../state/view.ts'
import { useConversation } from '../conversation-context.ts'
import { FactsLine } from './facts-line.tsx'
import type { HeadToolsProps } from './head-actions.tsx'
import { HeadMenu, HeadTools, KEY_HIDDEN_ON_PHONES } from './head-tools.tsx'

export interface HeadProps extends HeadToolsProps {
  models: readonly string[]
}

export function ConversationHead(props: HeadProps) {
  const layout = useLayout()
  const title = useTitle(props)
  if (layout === 'narrow') return <PhoneHead {...props} title={title} />
  return (
    <header className="shrink-0 border-line border-b px-4 pt-3 pb-2">
      <div className="flex items-start gap-2">
        <h2 className="line-clamp-2 min-w-0 flex-1 font-semibold text-lg text-strong leading-6 [overflow-wrap:anywhere]">
          {title}
        </h2>
        {props.talk === undefined && <ResumeButton detail={props.detail} />}
        {layout === 'middle' && <HealthButton />}
      </div>
      <FactsLine {...props} />
      <HeadTools {...props} />
    </header>
  )
}

/** A phone needs the room for messages, so everything else is in a menu. */
function PhoneHead({ title, ...props }: HeadProps & { title: string }) {
  const { detail, talk } = props
  const copyId = () => {
    if (detail !== undefined) void navigator.clipboard?.writeText(detail.sessionId).catch(() => undefined)
  }
  const more =
    detail === undefined ? [] : [{ key: 'id', title: 'Copy the session id', icon: <IconCopy size={14} />, run: copyId }]
  return (
    <header className="shrink-0 bg-page">
      <div className="flex h-11 items-center gap-1 pr-2 pl-1">
        <IconButton label="Back to the list" onClick={() => showPane('list')}>
          <IconChevronLeft />
        </IconButton>
        <h2 className="min-w-0 flex-1 truncate font-semibold text-lg text-strong">{title}</h2>
        {talk === undefined && <ResumeButton detail={detail} />}
        <HeadMenu {...props} more={more} />
      </div>
      <FactsLine {...props} isShort />
      <PaneTabs />
    </header>
  )
}

function useTitle({ sessionKey, detail, facts, talk }: HeadProps): string {
  const known = detail?.title ?? facts?.facts.title ?? talk?.title
  const title = (known == null ? '' : cleanLine(known)) || untitled(detail, talk)
  useEffect(() => openTitle.set({ session: sessionKey, title }), [sessionKey, title])
  return title
}

function untitled(detail: SessionDetail | undefined, talk: HeadProps['talk']): string {
  if (talk != null) return `New conversation with ${cleanLine(talk.agentTitle)}`
  return detail === undefined ? 'Conversation' : 'Untitled conversation'
}

/** Opens and closes the health drawer. */
function HealthButton() {
  const isOpen = useStore(view).pane === 'health'
  return (
    <Button
      size="sm"
      icon={<IconPanelRight size={14} />}
      aria-expanded={isOpen}
      onClick={() => showPane(isOpen ? 'conversation' : 'health')}
    >
      Health
    </Button>
  )
}

function ResumeButton({ detail }: { detail: SessionDetail | undefined }) {
  const { version } = useConversation()
  const unsupported = detail?.resume.type === 'unsupported' ? cleanLine(detail.resume.reason) : undefined
  const reason = version === undefined ? unsupported : 'This is an earlier state. Restore it first.'
  return (
    <Button
      variant="primary"
      size="sm"
      icon={<IconPlay size={14} />}
      shortcut="r"
      className={KEY_HIDDEN_ON_PHONES}
      disabled={detail === undefined || reason !== undefined}
      title={reason ?? 'Resume in a terminal, after a repair if it needs one'}
      onClick={() => detail !== undefined && resumeSession(detail.key)}
    >
      Resume
    </Button>
  )
}
